package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.regex.Pattern;

/** The requests to objects, in their order. Those for the lists of types are left out. */
final class Recorder implements Interceptor {

  /** The paths of objects: `/api/VERSION/…` or `/apis/GROUP/VERSION/…`. */
  private static final Pattern OBJECTS = Pattern.compile("/api/[^/]+/.+|/apis/[^/]+/[^/]+/.+");

  private final ArrayNode requests = JsonNodeFactory.instance.arrayNode();

  synchronized ArrayNode requests() {
    return requests;
  }

  @Override
  public synchronized void after(HttpRequest request, HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    String path = request.uri().getRawPath();
    if (!OBJECTS.matcher(path).matches()) {
      return;
    }
    String query = request.uri().getRawQuery();
    ObjectNode entry = requests.addObject().put("method", request.method())
        .put("path", query == null ? path : path + "?" + query).put("status", response.code());
    String type = request.header("Content-Type");
    if (type != null) {
      entry.put("contentType", type);
    }
    String body = request.bodyString();
    if (body != null) {
      entry.set("body", json(body));
    }
  }

  /** Adds the answer of the server to the request that it refused, which is the last one. */
  synchronized void refused(KubernetesClientException refusal) {
    if (refusal.getStatus() != null && !requests.isEmpty()) {
      ((ObjectNode) requests.get(requests.size() - 1)).set("response", json(Serialization.asJson(refusal.getStatus())));
    }
  }

  private static JsonNode json(String text) {
    try {
      return Json.read(text);
    } catch (JsonProcessingException e) {
      return JsonNodeFactory.instance.textNode(text);
    }
  }
}
