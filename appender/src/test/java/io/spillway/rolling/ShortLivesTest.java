package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that live for a moment have the file of yesterday compressed, as with Logback. */
@Tag("slow")
@Timeout(180)
class ShortLivesTest {
  private static final int BYTES = 24_000_000;
  private static final int LIVES = 3;

  @TempDir Path logs;

  /** One life without a stop: it logs a line and leaves main. */
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      Configured job = configured(arguments[1], arguments[2], Path.of(arguments[0]));
      job.logger.info("one life");
    }
  }

  @BeforeEach
  void writeYesterdaysFile() throws IOException {
    Path file = logs.resolve("app.log");
    byte[] line = new byte[600];
    Random random = new Random(1);
    for (int i = 0; i < line.length; i++) {
      line[i] = (byte) ('a' + random.nextInt(26));
    }
    try (var out = Files.newOutputStream(file)) {
      for (int written = 0; written < BYTES; written += line.length) {
        line[random.nextInt(line.length)] = (byte) ('a' + random.nextInt(26));
        out.write(line);
      }
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
  }

  private static Configured configured(String host, String compression, Path logs) {
    boolean stock = host.equals("STOCK");
    String settings =
        "<file>DIR/app.log</file>"
            + (stock ? "" : "<compression>" + compression + "</compression>")
            + "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d.log.gz</fileNamePattern></rollingPolicy>"
            + "<encoder><pattern>%msg%n</pattern></encoder>";
    return new Configured(stock ? Configured.STOCK : Configured.SPILLWAY, logs, settings);
  }

  @ParameterizedTest
  @Tag("gate")
  @CsvSource({"STOCK, ON_ROLLOVER", "SPILLWAY, ON_ROLLOVER", "SPILLWAY, CONTINUOUS"})
  void shouldHaveYesterdaysFileCompressedAfterThreeLives(String host, String compression)
      throws IOException {
    for (int life = 0; life < LIVES; life++) {
      try (Configured job = configured(host, compression, logs)) {
        job.logger.info("one life");
      }
    }
    assertArchived();
  }

  @ParameterizedTest
  @CsvSource({"STOCK, ON_ROLLOVER", "SPILLWAY, ON_ROLLOVER", "SPILLWAY, CONTINUOUS"})
  void shouldHaveItCompressedWhenTheJvmExitsWithoutAStop(String host, String compression)
      throws IOException {
    for (int life = 0; life < LIVES; life++) {
      try (Fork job = Fork.start(Child.class, List.of(), logs, host, compression)) {
        job.awaitEnd(0);
      }
    }
    assertArchived();
  }

  private void assertArchived() throws IOException {
    Path file = logs.resolve("app.log");
    List<Path> found;
    try (Stream<Path> all = Files.list(logs)) {
      found = all.filter(Files::isRegularFile).filter(f -> !f.equals(file)).toList();
    }
    assertThat(found).singleElement().asString().endsWith(".log.gz");
    long bytes = 0;
    byte[] chunk = new byte[65_536];
    try (InputStream in = new GZIPInputStream(Files.newInputStream(found.get(0)))) {
      for (int count; (count = in.read(chunk)) >= 0; ) {
        bytes += count;
      }
    }
    assertThat(bytes).isEqualTo(BYTES);
    assertThat(file).hasContent("one life\none life\none life");
  }
}
