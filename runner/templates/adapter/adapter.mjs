// An adapter for JSON merge patch (RFC 7386). Let `apply` call your implementation.

import { createInterface } from "node:readline";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function apply(live, patch) {
  if (!isObject(patch)) return patch;
  // A Map has no key with a special meaning, such as `__proto__`.
  const result = new Map(isObject(live) ? Object.entries(live) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, apply(result.get(key), value));
  }
  return Object.fromEntries(result);
}

function replyTo(request) {
  if (request.kind === "start") {
    // All numbers of JavaScript are floats, so that large integers lose digits.
    const supports = { operations: ["json-merge-apply"], lossyNumbers: ["json-merge-apply"] };
    return { kind: "started", protocol: 1, name: "example-adapter", version: "1", supports };
  }
  const { live = {}, patch } = request.documents;
  if (live === null || typeof patch !== "object" || patch === null) {
    const error = { kind: "invalid-document", message: "the patch must be an object or a list" };
    return { kind: "refused", seq: request.seq, error };
  }
  return { kind: "result", seq: request.seq, result: apply(live, patch) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.kind === "stop") break;
  process.stdout.write(JSON.stringify(replyTo(message)) + "\n");
}
