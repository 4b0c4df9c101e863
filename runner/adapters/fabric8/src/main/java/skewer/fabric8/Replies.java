package skewer.fabric8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Replies of the protocol. */
final class Replies {

  private Replies() {
  }

  static ObjectNode of(String kind) {
    return JsonNodeFactory.instance.objectNode().put("kind", kind);
  }

  static ObjectNode unsupported(String reason) {
    return of("unsupported").put("reason", reason);
  }

  static ObjectNode refused(String kind, String message) {
    ObjectNode reply = of("refused");
    reply.putObject("error").put("kind", kind).put("message", message);
    return reply;
  }

  static ObjectNode error(String message) {
    return of("error").put("message", message);
  }
}
