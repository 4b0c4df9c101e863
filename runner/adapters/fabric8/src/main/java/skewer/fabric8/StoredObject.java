package skewer.fabric8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A live document as the server stores it: with the members that the server needs. It knows which of them the adapter
 * added, and takes them out of the result again.
 */
final class StoredObject {

  private static final String METADATA = "metadata";
  /** What KubernetesAttributesExtractor reads as a path of one object. */
  private static final Pattern PATH =
      Pattern.compile("/(api|apis/[-\\w.]+)/[-\\w]+(/namespaces/[-\\w.:]+)?/documents/[-\\w.:]+");
  /** PatchHandler copies these from the stored object, and fails if they are missing. */
  private static final Map<String, JsonNode> SERVER_OWNED = new LinkedHashMap<>();

  static {
    SERVER_OWNED.put("uid", TextNode.valueOf("00000000-0000-4000-8000-000000000000"));
    SERVER_OWNED.put("creationTimestamp", TextNode.valueOf("2020-01-01T00:00:00Z"));
    SERVER_OWNED.put("resourceVersion", TextNode.valueOf("1"));
    SERVER_OWNED.put("generation", JsonNodeFactory.instance.numberNode(1L));
  }

  /** The document cannot be stored, or the server would see what the adapter added. */
  static final class Unsuitable extends Exception {
    private static final long serialVersionUID = 1;

    Unsuitable(String message) {
      super(message);
    }
  }

  private final JsonNode live;
  private final Touched touched;
  private final ObjectNode object;

  StoredObject(JsonNode live, Touched touched) throws Unsuitable {
    this.live = live;
    this.touched = touched;
    if (!live.isObject()) {
      throw new Unsuitable("the server stores objects only");
    }
    object = live.deepCopy();
    if (!object.has(METADATA)) {
      object.putObject(METADATA);
    }
    if (!object.get(METADATA).isObject()) {
      throw new Unsuitable("the server stores no object whose metadata is no map");
    }
    boolean added = !live.has(METADATA);
    for (String name : new String[] {"apiVersion", "kind"}) {
      added |= addText(object, "/" + name, name, name.equals("kind") ? "Document" : "skewer.example/v1");
    }
    ObjectNode metadata = (ObjectNode) object.get(METADATA);
    added |= addText(metadata, "/metadata/name", "name", "document");
    addNamespace(metadata);
    for (Map.Entry<String, JsonNode> member : SERVER_OWNED.entrySet()) {
      String pointer = "/metadata/" + member.getKey();
      if (touched.contains(pointer)) {
        throw new Unsuitable("the server sets metadata." + member.getKey() + " itself");
      }
      added |= metadata.putIfAbsent(member.getKey(), member.getValue()) == null;
    }
    if (added && touched.addressesWhole()) {
      throw new Unsuitable("the patch has the whole document or its metadata, to which the adapter adds members");
    }
  }

  /** Adds a text that the patch sets, or else a name of the adapter. */
  private boolean addText(ObjectNode parent, String pointer, String name, String otherwise) throws Unsuitable {
    boolean missing = !parent.has(name);
    if (missing && !touched.contains(pointer)) {
      parent.put(name, otherwise);
      return true;
    }
    JsonNode value = missing ? touched.value(pointer) : parent.get(name);
    if (value == null || !value.isTextual() || value.textValue().isEmpty()) {
      throw new Unsuitable("the server stores no object whose " + name + " is no text");
    }
    parent.set(name, value);
    return missing;
  }

  /** The server keeps the namespace of the stored object. So the object gets the namespace that the patch sets. */
  private void addNamespace(ObjectNode metadata) {
    JsonNode set = touched.value("/metadata/namespace");
    if (!metadata.has("namespace") && set != null && set.isTextual()) {
      metadata.set("namespace", set);
    }
  }

  String text() {
    return Json.write(object);
  }

  /** The path of the endpoint that has the object. */
  String path() throws Unsuitable {
    String apiVersion = object.get("apiVersion").textValue();
    JsonNode namespace = object.at("/metadata/namespace");
    String path = (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion
        + (namespace.isTextual() && !namespace.textValue().isEmpty() ? "/namespaces/" + namespace.textValue() : "")
        + "/documents/" + object.at("/metadata/name").textValue();
    if (!PATH.matcher(path).matches()) {
      throw new Unsuitable("the server has no path like " + path);
    }
    return path;
  }

  /** The result without the members that neither document has. */
  JsonNode result(JsonNode stored) {
    if (!(stored instanceof ObjectNode result)) {
      return stored;
    }
    for (String name : Set.of("apiVersion", "kind")) {
      if (!live.has(name) && !touched.contains("/" + name)) {
        result.remove(name);
      }
    }
    if (!(result.get(METADATA) instanceof ObjectNode metadata)) {
      return result;
    }
    JsonNode before = live.path(METADATA);
    for (String name : Set.of("name", "namespace")) {
      if (!before.has(name) && !touched.contains("/metadata/" + name)) {
        metadata.remove(name);
      }
    }
    for (String name : SERVER_OWNED.keySet()) {
      if (before.has(name)) {
        // A server counts these up after the patch.
        metadata.set(name, before.get(name));
      } else {
        metadata.remove(name);
      }
    }
    if (metadata.isEmpty() && !live.has(METADATA) && !touched.contains("/metadata")) {
      result.remove(METADATA);
    }
    return result;
  }
}
