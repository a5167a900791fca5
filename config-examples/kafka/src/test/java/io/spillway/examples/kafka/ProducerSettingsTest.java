package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.examples.testkit.Internals;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the example tells Kafka's client: everything that its comments give a reason for is said,
 * also what this version of the client does by itself, and the client reads it as meant. No broker
 * is asked.
 */
class ProducerSettingsTest {
  @TempDir Path logs;

  @Test
  void shouldSayWhatTheCommentsGiveReasonsFor() throws Exception {
    ProducerConfig read = producerConfig("localhost:9");

    assertThat(read.originals())
        .containsOnlyKeys(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ProducerConfig.ACKS_CONFIG,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            ProducerConfig.LINGER_MS_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, // these two: by the Kafka appender
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    assertThat(read.getString(ProducerConfig.ACKS_CONFIG)).isEqualTo("-1"); // "all", to the client
    assertThat(read.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)).isTrue();
    assertThat(read.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG)).isEqualTo(Long.MAX_VALUE);
    assertThat(read.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)).isEqualTo(Integer.MAX_VALUE);
    assertThat(read.getLong(ProducerConfig.LINGER_MS_CONFIG)).isZero();
    assertThat(read.getList(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG))
        .containsExactly("localhost:9");
  }

  @Test
  void shouldTakeTheBrokerOnThisMachineIfNoneIsSet() throws Exception {
    assertThat(producerConfig(null).getList(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG))
        .containsExactly("localhost:9092");
  }

  /** The appender makes its client at the first event only, of these. */
  @SuppressWarnings("unchecked")
  private ProducerConfig producerConfig(String bootstrapServers) throws Exception {
    try (Example example = new Example(logs, bootstrapServers)) {
      return new ProducerConfig(
          (Map<String, Object>) Internals.read(example.kafka(), "producerConfig"));
    }
  }
}
