package skewer.fabric8;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class OperationsTest {

  private static ObjectNode run(String operation, String live, String patch) throws JsonProcessingException {
    return Operations.run(operation, Json.read("{\"live\":" + live + ",\"patch\":" + patch + "}"));
  }

  private static void assertResult(String expected, String operation, String live, String patch)
      throws JsonProcessingException {
    assertEquals("{\"kind\":\"result\",\"result\":" + expected + "}", Json.write(run(operation, live, patch)));
  }

  private static void assertRefused(String kind, String operation, String live, String patch)
      throws JsonProcessingException {
    ObjectNode reply = run(operation, live, patch);
    assertEquals(kind, reply.at("/error/kind").asText(), reply::toString);
  }

  @Test
  void whatTheAdapterAddsIsNotInTheResult() throws JsonProcessingException {
    assertResult("{\"a\":1,\"b\":2}", "json-merge-apply", "{\"a\":1}", "{\"b\":2}");
    assertResult("{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "json-merge-apply", "{}",
        "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
    assertResult("{\"metadata\":{}}", "json-merge-apply", "{\"metadata\":{}}", "{}");
    assertResult("{\"a\":1,\"b\":2}", "json-patch-apply", "{\"a\":1}",
        "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2}]");
  }

  @Test
  void whatADocumentHasIsInTheResult() throws JsonProcessingException {
    String object = "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\","
        + "\"namespace\":\"n\",\"generation\":3,\"resourceVersion\":\"7\"},\"spec\":{\"replicas\":1}}";
    assertResult(object.replace("\"replicas\":1", "\"replicas\":2"), "json-merge-apply", object,
        "{\"spec\":{\"replicas\":2}}");
    assertResult(object, "json-merge-apply", object, "{}");
    String whole = "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"apiVersion\":\"v1\",\"kind\":\"Pod\"}";
    assertEquals(Json.read(whole), run("json-merge-apply", "{}", whole).get("result"));
  }

  @Test
  void numbersStayAsTheyAre() throws JsonProcessingException {
    assertResult("{\"a\":1.0,\"b\":9007199254740993,\"c\":1,\"d\":-0.0}", "json-merge-apply",
        "{\"a\":1.0,\"b\":9007199254740993}", "{\"c\":1,\"d\":-0.0}");
    // fabric8 reads it as a double. The adapter does not.
    assertResult("{\"a\":\"Infinity\"}", "json-merge-apply", "{}", "{\"a\":1e400}");
  }

  @Test
  void errorsHaveKinds() throws JsonProcessingException {
    assertRefused("json-patch-failed", "json-patch-apply", "{\"a\":1}",
        "[{\"op\":\"test\",\"path\":\"/a\",\"value\":2}]");
    assertRefused("invalid-document", "json-merge-apply", "{}", "1");
    assertRefused("wrong-name", "json-merge-apply", "{\"metadata\":{\"name\":\"a\"}}",
        "{\"metadata\":{\"name\":\"b\"}}");
    assertRefused("undecodable", "json-merge-apply", "{}", "{\"metadata\":{\"labels\":3}}");
    assertRefused("panic", "json-patch-apply", "{}", "[{}]");
  }

  @Test
  void whatTheServerCannotShowIsUnsupported() throws JsonProcessingException {
    for (String[] request : new String[][] {
        {"apply", "{}", "{\"a\":1}"},
        {"json-merge-apply", "null", "{}"},
        {"json-merge-apply", "{\"metadata\":1}", "{}"},
        {"json-merge-apply", "{\"kind\":1}", "{}"},
        {"json-merge-apply", "{}", "{\"metadata\":{\"uid\":\"u\"}}"},
        {"json-merge-apply", "{}", "{\"metadata\":{\"name\":null}}"},
        {"json-merge-apply", "{}", "{\"metadata\":null}"},
        {"json-patch-apply", "{}", "[{\"op\":\"remove\",\"path\":\"/metadata/name\"}]"},
        {"json-merge-apply", "{\"apiVersion\":\"a/b/c\"}", "{}"},
        {"json-merge-apply", "{\"metadata\":{\"labels\":3}}", "{}"},
        {"json-patch-apply", "{}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{}}]"}}) {
      assertEquals("unsupported", run(request[0], request[1], request[2]).get("kind").textValue(), request[1]);
    }
  }

  /** These fail once fabric8 merges as RFC 7386 says: then the README has to change. */
  @Test
  void knownDifferencesOfFabric8() throws JsonProcessingException {
    assertResult("{\"list\":[1,2]}", "json-merge-apply", "{\"list\":[1]}", "{\"list\":[2]}");
    assertResult("{\"a\":null}", "json-merge-apply", "{\"a\":1}", "{\"a\":null}");
    assertResult("{\"a\":{\"b\":1}}", "json-patch-apply", "{}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]");
    assertResult("{}", "json-patch-apply", "{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]");
  }
}
