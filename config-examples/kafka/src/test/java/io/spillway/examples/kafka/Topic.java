package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The topic of the example. */
final class Topic {
  private static final String NAME = "logs";

  private Topic() {}

  /** Everything in it from the beginning; fails if there is more than one partition in use. */
  static List<String> read(String bootstrapServers) {
    Map<String, Object> settings =
        Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    StringDeserializer text = new StringDeserializer();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings, text, text)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(NAME).stream()
              .map(info -> new TopicPartition(NAME, info.partition()))
              .toList();
      assertThat(partitions).hasSizeGreaterThan(1);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<String> values = new ArrayList<>();
      Set<Integer> used = new HashSet<>();
      while (partitions.stream().anyMatch(part -> consumer.position(part) < ends.get(part))) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          values.add(record.value());
          used.add(record.partition());
        }
      }
      assertThat(used).as("partitions in use").hasSizeLessThanOrEqualTo(1);
      return values;
    }
  }
}
