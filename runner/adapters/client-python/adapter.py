#!/usr/bin/env python3
"""A Skewer adapter of the Python client of Kubernetes, in the role of a client. README.md says what it asks of it."""

import importlib.metadata
import pathlib
import re
import sys
import time

# The part of the protocol that adapters in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples" / "python"))

from conversation import Adapter, Unsupported, converse, decode, document  # noqa: E402
from kubernetes import config, dynamic  # noqa: E402
from kubernetes.client.exceptions import ApiException  # noqa: E402

# The field manager that the cases give a controller.
MANAGER = "controller"

# The seconds in which a server lists a type, as a definition that was just installed is not listed at once.
PATIENCE = 20

# The paths of objects: /api/VERSION/… or /apis/GROUP/VERSION/….
OBJECTS = re.compile(r"https?://[^/]+(/api/[^/]+/.+|/apis/[^/]+/[^/]+/.+)")


class Recorder:
    """The requests to objects that a client sends, in their order. Those for the lists of types are left out."""

    def __init__(self, client):
        self.requests = []
        self.pool = client.rest_client.pool_manager
        self.send = self.pool.request
        self.pool.request = self.request

    def request(self, method, url, **options):
        response = self.send(method, url, **options)
        path = OBJECTS.match(url)
        if path:
            query = "&".join(f"{key}={value}" for key, value in options.get("fields") or [])
            entry = {"method": method, "path": path[1] + (f"?{query}" if query else ""), "status": response.status}
            if options.get("body") is not None:
                entry["contentType"] = (options.get("headers") or {}).get("Content-Type")
                entry["body"] = readable(options["body"])
            if response.status >= 400:
                entry["response"] = readable(response.data)
            self.requests.append(entry)
        return response


def readable(text):
    """A text that is JSON as it is, and any other text as a string."""
    try:
        return decode(text)
    except ValueError:
        return str(text)


def resource_of(client, manifest):
    """The resource of a manifest, once the server lists it."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return client.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        except dynamic.exceptions.ResourceNotFoundError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
            client.resources.invalidate_cache()


def merged(live, manifest):
    """The live object with the fields of a manifest, which is the part of a controller's author."""
    if not (isinstance(live, dict) and isinstance(manifest, dict)):
        return manifest
    return {**live, **{key: merged(live.get(key), value) for key, value in manifest.items()}}


def apply(tool, resource, namespace, manifest):
    target = {"namespace": namespace, "field_manager": MANAGER}
    if tool == "controller-apply":
        resource.server_side_apply(body=manifest, force_conflicts=True, **target)
        return
    try:
        live = resource.get(name=manifest["metadata"]["name"], namespace=namespace).to_dict()
    except dynamic.exceptions.NotFoundError:
        resource.create(body=manifest, **target)
        return
    if tool == "controller-patch":
        resource.patch(body=manifest, content_type="application/merge-patch+json", **target)
        return
    if tool == "controller-replace":
        version = {"resourceVersion": live["metadata"]["resourceVersion"]}
        resource.replace(body={**manifest, "metadata": {**manifest["metadata"], **version}}, **target)
        return
    resource.replace(body=merged(live, manifest), **target)


TOOLS = ["controller-update", "controller-replace", "controller-patch", "controller-apply"]


def apply_manifest(request):
    options, manifest = request["options"], document(request, "modified")
    if options.get("tool") not in TOOLS:
        raise Unsupported(f"client-python is not the tool {options.get('tool')!r}")
    client = config.new_client_from_config(options["kubeconfig"])
    recorder = Recorder(client)
    resource = resource_of(dynamic.DynamicClient(client), manifest)
    error = {}
    try:
        apply(options["tool"], resource, options["namespace"], manifest)
    except ApiException as refusal:
        error = {"error": {"message": str(refusal)}}
    return {"requests": recorder.requests, **error}


def main():
    converse(
        Adapter(
            name="client-python",
            version=importlib.metadata.version("kubernetes"),
            operations={"apply-manifest": apply_manifest},
            tools=TOOLS,
        )
    )


if __name__ == "__main__":
    main()
