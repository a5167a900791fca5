package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The schema names just those fields that the records have. */
class ResultSchemaTest {

  private final Set<Class<?>> records = new LinkedHashSet<>();
  private JsonNode schema;

  @BeforeEach
  void readSchema() throws IOException {
    try (InputStream in = RunResult.class.getResourceAsStream("result.schema.json")) {
      schema = new ObjectMapper().readTree(in);
    }
    collect(RunResult.class);
  }

  @Test
  void shouldDescribeEveryFieldOfEveryRecordAndNoOther() {
    assertThat(records).hasSizeGreaterThan(15);
    for (Class<?> type : records) {
      JsonNode described = described(type);
      List<String> fields =
          Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
      assertThat(names(described.path("properties"))).as(type.getName()).isEqualTo(fields);
      assertThat(texts(described.path("required"))).as(type.getName()).isEqualTo(fields);
      for (JsonNode field : described.path("properties")) {
        assertThat(field.path("description").asText()).as(type + " " + field).isNotEmpty();
      }
    }
    assertThat(schema.path("$defs")).hasSize(records.size() - 1);
  }

  @Test
  void shouldNameTheVersionThatIsWritten() {
    assertThat(schema.at("/properties/schema/const").asText()).isEqualTo(RunResult.SCHEMA);
  }

  private JsonNode described(Class<?> type) {
    return type == RunResult.class ? schema : schema.path("$defs").path(type.getSimpleName());
  }

  private void collect(Type type) {
    if (type instanceof ParameterizedType generic) {
      Arrays.stream(generic.getActualTypeArguments()).forEach(this::collect);
    } else if (type instanceof Class<?> one && one.isRecord() && records.add(one)) {
      Arrays.stream(one.getRecordComponents())
          .map(RecordComponent::getGenericType)
          .forEach(this::collect);
    }
  }

  private static List<String> names(JsonNode properties) {
    List<String> names = new ArrayList<>();
    properties.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
