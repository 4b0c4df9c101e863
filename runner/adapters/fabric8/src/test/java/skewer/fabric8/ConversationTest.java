package skewer.fabric8;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConversationTest {

  private static String answer(String line) {
    return Json.write(Conversation.answer(line));
  }

  @Test
  void startNamesTheOperationsThatTheServerKnows() {
    assertEquals("{\"kind\":\"started\",\"protocol\":1,\"name\":\"io.fabric8:kubernetes-server-mock\",\"version\":\""
        + Conversation.version() + "\",\"language\":\"java\",\"supports\":{\"operations\":"
        + "[\"json-merge-apply\",\"json-patch-apply\"]}}", answer("{\"kind\":\"start\",\"protocol\":1}"));
  }

  @Test
  void anotherVersionOfTheProtocolIsAnError() {
    assertEquals("{\"kind\":\"error\",\"message\":\"the adapter speaks version 1 of the protocol\"}",
        answer("{\"kind\":\"start\",\"protocol\":2}"));
  }

  @Test
  void invalidLinesAreErrorsAndTheConversationGoesOn() throws IOException {
    String input = "x\n{\"kind\":\"y\",\"seq\":7}\n{\"kind\":\"run\",\"seq\":8,\"operation\":\"json-merge-apply\","
        + "\"documents\":{}}\n{\"kind\":\"stop\"}\n{\"kind\":\"y\",\"seq\":9}\n";
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    new Conversation(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), output).run();
    String[] replies = output.toString(StandardCharsets.UTF_8).split("\n");
    assertEquals(3, replies.length);
    assertTrue(replies[0].startsWith("{\"kind\":\"error\",\"message\":\"the line is not a request: "), replies[0]);
    assertEquals("{\"kind\":\"error\",\"message\":\"the kind of the request is unknown\",\"seq\":7}", replies[1]);
    assertEquals("{\"kind\":\"error\",\"message\":\"the operation json-merge-apply needs the document patch\","
        + "\"seq\":8}", replies[2]);
  }

  @Test
  void anUnknownOperationIsUnsupported() {
    assertEquals("{\"kind\":\"unsupported\",\"reason\":\"the mock server of fabric8 has no PATCH for this operation\","
        + "\"seq\":1}", answer("{\"kind\":\"run\",\"seq\":1,\"operation\":\"merge\",\"documents\":{}}"));
  }

  @Test
  void aLoneSurrogateIsReplaced() {
    assertEquals("a\uFFFDb\uD83D\uDE00\uFFFD", Json.wellFormed("a\uD800b\uD83D\uDE00\uDC00"));
  }
}
