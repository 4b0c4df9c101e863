package skewer.fabric8;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/** The members that a patch names: a merge patch is a map, a JSON patch is a list of operations. */
final class Touched {

  private final JsonNode patch;
  private final boolean isJsonPatch;

  Touched(JsonNode patch, boolean isJsonPatch) {
    this.patch = patch;
    this.isJsonPatch = isJsonPatch;
  }

  /** Whether the patch names the member at the JSON pointer, or something inside it. */
  boolean contains(String pointer) {
    if (!isJsonPatch) {
      return !patch.at(pointer).isMissingNode();
    }
    for (JsonNode operation : patch) {
      String path = operation.path("path").asText();
      if (path.equals(pointer) || path.startsWith(pointer + "/") || inValue(operation, path, pointer)) {
        return true;
      }
    }
    return false;
  }

  /** The value that the patch gives the member, or null. */
  JsonNode value(String pointer) {
    if (!isJsonPatch) {
      return patch.at(pointer);
    }
    JsonNode value = null;
    for (JsonNode operation : patch) {
      String path = operation.path("path").asText();
      if (path.equals(pointer)) {
        value = operation.get("value");
      } else if (inValue(operation, path, pointer)) {
        value = operation.get("value").at(pointer.substring(path.length()));
      }
    }
    return value;
  }

  private static boolean inValue(JsonNode operation, String path, String pointer) {
    return pointer.startsWith(path + "/") && operation.has("value")
        && !operation.get("value").at(pointer.substring(path.length())).isMissingNode();
  }

  /** Whether an operation has the root or its metadata as a whole, or a merge patch replaces the metadata. */
  boolean addressesWhole() {
    if (!isJsonPatch) {
      return patch.has("metadata") && !patch.get("metadata").isObject();
    }
    for (JsonNode operation : patch) {
      for (String member : Set.of("path", "from")) {
        JsonNode pointer = operation.get(member);
        if (pointer != null && Set.of("", "/metadata").contains(pointer.asText())) {
          return true;
        }
      }
    }
    return false;
  }
}
