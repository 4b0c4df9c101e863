package skewer.fabric8;

import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.Buffer;
import io.fabric8.mockwebserver.http.Headers;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.nio.charset.StandardCharsets;

/** A PATCH request to fabric8's mock server in CRUD mode. Each has a server of its own, which stores one object. */
final class PatchRequest {

  /** What the server answers. The body is the stored object, or a Status. */
  record Response(int status, String body) {
  }

  /** The server cannot store the live object. */
  static final class NotStored extends Exception {
    private static final long serialVersionUID = 1;

    NotStored(Throwable cause) {
      super(cause);
    }
  }

  private PatchRequest() {
  }

  /** Throws what the server's handler throws. */
  static Response send(String path, String live, String contentType, String patch) throws NotStored {
    KubernetesCrudDispatcher server = new KubernetesCrudDispatcher();
    try {
      // PostHandler.handle stores objects with this call, too. Here the text is stored as it is.
      server.processEvent(path, server.getKey(path), null, null, live);
    } catch (RuntimeException e) {
      throw new NotStored(e);
    }
    Buffer body = new Buffer(patch.getBytes(StandardCharsets.UTF_8));
    Headers headers = Headers.builder().add("Content-Type", contentType).build();
    MockResponse response = server.dispatch(new RecordedRequest("HTTP/1.1", HttpMethod.PATCH, path, headers, body));
    return new Response(response.code(), response.getBody() == null ? "" : response.getBody().readUtf8());
  }
}
