package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operations of the protocol, as PATCH requests. */
final class Operations {

  /** The artifact under test. */
  static final String ARTIFACT = "kubernetes-server-mock";

  /** An operation of the protocol: its content type, and the document that is the body. */
  private record Operation(PatchType type, String body) {
  }

  private static final Map<String, Operation> OPERATIONS = new LinkedHashMap<>();

  static {
    OPERATIONS.put("apply", new Operation(PatchType.STRATEGIC_MERGE, "patch"));
    OPERATIONS.put("json-merge-apply", new Operation(PatchType.JSON_MERGE, "patch"));
    OPERATIONS.put("json-patch-apply", new Operation(PatchType.JSON, "patch"));
    OPERATIONS.put("server-side-apply", new Operation(PatchType.SERVER_SIDE_APPLY, "configuration"));
  }

  private Operations() {
  }

  /** The operations whose content type the server knows: it is asked. */
  static List<String> supported() {
    List<String> supported = new ArrayList<>();
    OPERATIONS.forEach((name, operation) -> {
      JsonNode nothing = operation.type == PatchType.JSON
          ? JsonNodeFactory.instance.arrayNode() : JsonNodeFactory.instance.objectNode();
      ObjectNode documents = JsonNodeFactory.instance.objectNode();
      documents.set(operation.body, nothing);
      if (!run(name, documents).get("kind").textValue().equals("unsupported")) {
        supported.add(name);
      }
    });
    return supported;
  }

  /** Adds what the adapter supports. */
  static void describe(ObjectNode supports) {
    supported().forEach(supports.putArray("operations")::add);
  }

  /** The reply to one request, without its seq. */
  static ObjectNode run(JsonNode request) {
    return run(request.get("operation").textValue(), request.get("documents"));
  }

  static ObjectNode run(String name, JsonNode documents) {
    Operation operation = OPERATIONS.get(name);
    if (operation == null) {
      return Replies.unsupported("the mock server of fabric8 has no PATCH for this operation");
    }
    JsonNode patch = documents.get(operation.body);
    if (patch == null) {
      return Replies.error("the operation " + name + " needs the document " + operation.body);
    }
    JsonNode live = documents.path("live");
    PatchRequest.Response response;
    StoredObject stored;
    try {
      stored = new StoredObject(live.isMissingNode() ? JsonNodeFactory.instance.objectNode() : live,
          new Touched(patch, operation.type == PatchType.JSON));
      response = PatchRequest.send(stored.path(), stored.text(), operation.type.getContentType(), Json.write(patch));
    } catch (StoredObject.Unsuitable e) {
      return Replies.unsupported(e.getMessage());
    } catch (PatchRequest.NotStored e) {
      return Replies.unsupported("the server cannot store the live object: " + e.getCause());
    } catch (RuntimeException | StackOverflowError e) {
      return Refusals.of(e);
    }
    if (response.status() / 100 != 2) {
      return Refusals.of(response);
    }
    if (response.body().isEmpty()) {
      return Replies.refused("unclassified", "the server deleted the object");
    }
    try {
      ObjectNode reply = Replies.of("result");
      reply.set("result", stored.result(Json.read(response.body())));
      return reply;
    } catch (JsonProcessingException e) {
      return Replies.refused("panic", "the stored object is no JSON: " + e.getMessage());
    }
  }
}
