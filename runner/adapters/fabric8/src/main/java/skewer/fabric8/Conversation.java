package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** Reads requests, one on each line, and writes a reply to each. */
final class Conversation {

  private static final long PROTOCOL = 1;

  private final InputStream input;
  private final OutputStream output;

  Conversation(InputStream input, OutputStream output) {
    this.input = input;
    this.output = output;
  }

  /** Ends after `stop`, or at the end of the input. */
  void run() throws IOException {
    String line;
    while ((line = readLine()) != null) {
      ObjectNode reply = answer(line);
      if (reply == null) {
        break;
      }
      output.write((Json.write(reply) + "\n").getBytes(StandardCharsets.UTF_8));
      output.flush();
    }
  }

  /** Not BufferedReader.readLine, which also ends lines at a carriage return. */
  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next;
    while ((next = input.read()) != -1 && next != '\n') {
      line.write(next);
    }
    return next == -1 && line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
  }

  /** The reply to one line, or null to stop. */
  static ObjectNode answer(String line) {
    JsonNode request;
    try {
      request = Json.read(line);
    } catch (JsonProcessingException | RuntimeException e) {
      return Replies.error("the line is not a request: " + e.getMessage());
    }
    ObjectNode reply = switch (request.path("kind").asText()) {
      case "start" -> start(request);
      case "run" -> run(request);
      case "stop" -> null;
      default -> Replies.error("the kind of the request is unknown");
    };
    if (reply != null && request.path("seq").isIntegralNumber()) {
      reply.set("seq", request.get("seq"));
    }
    return reply;
  }

  private static ObjectNode start(JsonNode request) {
    JsonNode protocol = request.path("protocol");
    if (!protocol.isIntegralNumber() || protocol.longValue() != PROTOCOL) {
      return Replies.error("the adapter speaks version " + PROTOCOL + " of the protocol");
    }
    ObjectNode reply = Replies.of("started").put("protocol", PROTOCOL).put("name", "io.fabric8:" + Operations.ARTIFACT).put("version", version())
        .put("language", "java");
    Operations.describe(reply.putObject("supports"));
    return reply;
  }

  private static ObjectNode run(JsonNode request) {
    if (!request.path("seq").isIntegralNumber() || !request.path("operation").isTextual()
        || !request.path("documents").isObject()) {
      return Replies.error("the request needs seq, operation and documents");
    }
    if (!request.at("/options/preconditions").isEmpty()) {
      return Replies.unsupported("fabric8 has no preconditions");
    }
    return Operations.run(request);
  }

  /** The version of fabric8 that the adapter was built with, from the files of its jar. */
  static String version() {
    Properties properties = new Properties();
    String file = "/META-INF/maven/io.fabric8/" + Operations.ARTIFACT + "/pom.properties";
    try (InputStream stream = Conversation.class.getResourceAsStream(file)) {
      properties.load(stream);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
