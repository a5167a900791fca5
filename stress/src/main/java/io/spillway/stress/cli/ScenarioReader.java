package io.spillway.stress.cli;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a scenario: JSON, with comments allowed. Whatever is not as it should be is refused with
 * the file, the field, its value and what is allowed.
 */
final class ScenarioReader {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
          .build();

  private final String name;

  /** For messages about a scenario of that name. */
  ScenarioReader(String name) {
    this.name = name;
  }

  Scenario read(byte[] content) throws IOException {
    try {
      Scenario scenario = MAPPER.readValue(content, Scenario.class);
      if (scenario == null) {
        throw refused("it says nothing; allowed: an object, such as {\"description\": \"...\"}");
      }
      return scenario;
    } catch (UnrecognizedPropertyException e) {
      throw refused(
          "there is no field '"
              + path(e)
              + "'; allowed here: "
              + e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList());
    } catch (JsonMappingException e) {
      throw refused(e.getPath().isEmpty() ? why(e) : "field '" + path(e) + "': " + why(e));
    } catch (JsonProcessingException e) {
      throw refused(
          "it is no JSON: "
              + e.getOriginalMessage()
              + " (line "
              + e.getLocation().getLineNr()
              + ")");
    }
  }

  private RefusedException refused(String why) {
    return new RefusedException("scenario " + name + ": " + why);
  }

  private static String why(JsonMappingException e) {
    if (e.getCause() instanceof TypeConversionException unit) {
      return unit.getMessage();
    }
    if (e.getOriginalMessage().startsWith("Trailing token")) {
      return "something follows after its end; allowed: one object {...}";
    }
    if (e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
      String value =
          e instanceof InvalidFormatException wrong ? "'" + wrong.getValue() + "'" : "it";
      return value + " is not " + kind(mismatch.getTargetType());
    }
    return e.getOriginalMessage();
  }

  private static String kind(Class<?> type) {
    if (type == Integer.class || type == Long.class) {
      return "a whole number";
    }
    if (type == String.class) {
      return "a text or number";
    }
    return List.class.isAssignableFrom(type) ? "a list [...]" : "an object {...}";
  }

  /** Such as {@code trials[2].sizes[0]}. */
  private static String path(JsonMappingException e) {
    return e.getPath().stream()
        .map(
            part ->
                part.getFieldName() == null
                    ? "[" + part.getIndex() + "]"
                    : "." + part.getFieldName())
        .collect(Collectors.joining())
        .replaceFirst("^\\.", "");
  }
}
