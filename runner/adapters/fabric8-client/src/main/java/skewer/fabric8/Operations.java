package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The operation of the protocol for clients: a way of fabric8's users to apply a manifest. */
final class Operations {

  /** The artifact under test. */
  static final String ARTIFACT = "kubernetes-client-api";

  /** The field manager that the cases give a controller. */
  private static final String MANAGER = "controller";

  private static final String OPERATION = "apply-manifest";

  /** A way to apply a manifest. */
  private interface Tool {
    void apply(KubernetesClient client, String manifest);
  }

  private static final Map<String, Tool> TOOLS = new TreeMap<>(Map.of(
      "controller-apply", (client, manifest) -> resource(client, manifest).fieldManager(MANAGER).forceConflicts()
          .serverSideApply(),
      "controller-patch", (client, manifest) -> {
        NamespaceableResource<HasMetadata> resource = resource(client, manifest);
        if (resource.get() == null) {
          resource.create();
        } else {
          resource.patch(new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).withFieldManager(MANAGER).build(),
              manifest);
        }
      },
      "controller-replace", (client, manifest) -> resource(client, manifest).createOr(existing -> existing.update()),
      "controller-update", (client, manifest) -> {
        NamespaceableResource<HasMetadata> resource = resource(client, manifest);
        HasMetadata live = resource.get();
        if (live == null) {
          resource.create();
        } else {
          resource(client, merged(client.getKubernetesSerialization().asJson(live), manifest)).update();
        }
      }));

  private Operations() {
  }

  /** Adds what the adapter supports. */
  static void describe(ObjectNode supports) {
    supports.putArray("operations").add(OPERATION);
    ArrayNode tools = supports.putArray("tools");
    TOOLS.keySet().forEach(tools::add);
  }

  /** The reply to one request, without its seq. */
  static ObjectNode run(JsonNode request) {
    Tool tool = TOOLS.get(request.at("/options/tool").asText());
    JsonNode manifest = request.at("/documents/modified");
    if (!request.get("operation").textValue().equals(OPERATION) || tool == null) {
      return Replies.unsupported("fabric8 is not this tool");
    }
    if (manifest.isMissingNode()) {
      return Replies.error("the document modified is missing");
    }
    Config config;
    try {
      config = Config.fromKubeconfig(Files.readString(Path.of(request.at("/options/kubeconfig").asText())));
    } catch (IOException e) {
      return Replies.error("the kubeconfig cannot be read: " + e.getMessage());
    }
    // The field manager of requests that name none.
    config.setUserAgent(MANAGER);
    // A request that is refused is not sent again.
    config.setRequestRetryBackoffLimit(0);
    Recorder recorder = new Recorder();
    ObjectNode reply = Replies.of("result");
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config)
        .withHttpClientBuilderConsumer(builder -> builder.addOrReplaceInterceptor("recorder", recorder)).build()) {
      waitForType(client, manifest);
      tool.apply(client, Json.write(manifest));
      reply.putObject("result");
    } catch (KubernetesClientException e) {
      recorder.refused(e);
      reply.putObject("result").putObject("error").put("message", e.getMessage());
    }
    ((ObjectNode) reply.get("result")).set("requests", recorder.requests());
    return reply;
  }

  private static NamespaceableResource<HasMetadata> resource(KubernetesClient client, String manifest) {
    return client.resource((HasMetadata) client.getKubernetesSerialization().unmarshal(manifest));
  }

  /** Waits until the server lists the type of an object: a definition that was just installed is not listed at once. */
  private static void waitForType(KubernetesClient client, JsonNode object) {
    String version = object.path("apiVersion").asText();
    String kind = object.path("kind").asText();
    for (int attempt = 0; attempt < 400; attempt++) {
      var list = client.getApiResources(version);
      if (list != null && list.getResources().stream().anyMatch(type -> type.getKind().equals(kind))) {
        return;
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** The live object with the fields of a manifest, which is the part of a controller's author. */
  private static String merged(String live, String manifest) {
    try {
      return Json.write(set(Json.read(live), Json.read(manifest)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode set(JsonNode live, JsonNode manifest) {
    if (!live.isObject() || !manifest.isObject()) {
      return manifest;
    }
    ObjectNode object = (ObjectNode) live;
    manifest.properties().forEach(field -> object.set(field.getKey(),
        object.has(field.getKey()) ? set(object.get(field.getKey()), field.getValue()) : field.getValue()));
    return object;
  }
}
