package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.zjsonpatch.JsonPatchException;

/** The replies to requests that the server does not answer with an object. */
final class Refusals {

  private Refusals() {
  }

  /**
   * The dispatcher catches only exceptions of its own. Over HTTP, a request that ends like this is never answered. Here
   * the errors of fabric8's own libraries are refusals. Any other exception is a crash.
   */
  static ObjectNode of(Throwable thrown) {
    if (thrown instanceof JsonPatchException) {
      return Replies.refused("json-patch-failed", thrown.getMessage());
    }
    if (thrown instanceof KubernetesClientException) {
      // Its own message says only that an error has occurred.
      Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
      return Replies.refused("undecodable", cause.getMessage());
    }
    return Replies.refused("panic", thrown.toString());
  }

  static ObjectNode of(PatchRequest.Response response) {
    String message = message(response.body());
    boolean otherName = message.contains("does not match the name");
    boolean otherType = message.startsWith("Cannot deserialize");
    return switch (response.status()) {
      case 404 -> Replies.unsupported("the server does not find the live object under its path");
      case 415 -> Replies.unsupported("the server answers 415: " + message);
      case 409 -> Replies.refused("conflict", message);
      case 400 -> Replies.refused(otherName ? "wrong-name" : "unclassified", message);
      case 422 -> Replies.refused(otherType ? "invalid-document" : "unclassified", message);
      default -> Replies.refused("unclassified", response.status() + ": " + message);
    };
  }

  private static String message(String body) {
    try {
      JsonNode status = Json.read(body);
      return status.path("message").isTextual() ? status.get("message").textValue() : body;
    } catch (JsonProcessingException e) {
      return body;
    }
  }
}
