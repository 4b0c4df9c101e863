package skewer.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Reads and writes JSON as the protocol wants it: 1 and 1.0 differ, and no number changes. */
final class Json {

  private static final ObjectMapper DOUBLES = mapper(false);
  private static final ObjectMapper DECIMALS = mapper(true);

  private Json() {
  }

  private static ObjectMapper mapper(boolean decimals) {
    ObjectMapper mapper = JsonMapper.builder()
        .configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, decimals)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .build();
    mapper.getFactory().setStreamReadConstraints(StreamReadConstraints.builder()
        .maxNestingDepth(2000).maxNumberLength(100_000).maxStringLength(Integer.MAX_VALUE).build());
    return mapper;
  }

  /** Floats are doubles: a decimal has no -0.0. Only a text with a number like 1e400 is read with decimals. */
  static JsonNode read(String text) throws JsonProcessingException {
    JsonNode node = DOUBLES.readTree(text);
    return hasOnlyFiniteNumbers(node) ? node : DECIMALS.readTree(text);
  }

  private static boolean hasOnlyFiniteNumbers(JsonNode node) {
    for (JsonNode child : node) {
      if (!hasOnlyFiniteNumbers(child)) {
        return false;
      }
    }
    return !node.isDouble() || Double.isFinite(node.doubleValue());
  }

  static String write(JsonNode node) {
    try {
      return wellFormed(DOUBLES.writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A surrogate without its counterpart becomes U+FFFD. It could not be written in UTF-8. */
  static String wellFormed(String text) {
    StringBuilder changed = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      if (changed == null) {
        changed = new StringBuilder(text);
      }
      changed.setCharAt(i, '\uFFFD');
    }
    return changed == null ? text : changed.toString();
  }
}
