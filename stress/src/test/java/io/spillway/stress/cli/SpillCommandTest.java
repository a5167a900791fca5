package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.TimeBasedRollingPolicy;
import io.spillway.stress.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the command prints of a directory that a real appender left over a stuck sink. */
class SpillCommandTest {

  private static final int EVENTS = 3000;

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final LoggerContext context = new LoggerContext();

  SpillCommandTest() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  /** Takes what comes until it is told to stand still; returns when it is let go. */
  private static final class StickingAppender extends AppenderBase<ILoggingEvent> {
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getFormattedMessage().startsWith("event 1000 ")) {
        stuck.countDown();
        try {
          letGo.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"BLOCK", "DROP_OLDEST"}) // which has more than events in a record
  void shouldTellWhatWaitsAndShowEventsOnlyWhenAsked(String whenFull) throws Exception {
    Path spill = leftBehind(whenFull);
    List<String> before = files(spill);

    assertThat(execute(spill)).isZero();
    String told = text(out);
    assertThat(told).contains(spill.toString(), "owner: ", "waiting", "0 are lost", "logged 20");
    assertThat(told.lines().filter(line -> line.startsWith("  owner: ")))
        .singleElement()
        .asString()
        .matches("  owner: context=\\S+, appender=SPILLWAY, program=\\S+");
    assertThat(told).doesNotContain("event 2999");
    assertThat(waiting(told)).isEqualTo(EVENTS - 1000);

    assertThat(execute(spill, "--events")).isZero();
    List<String> numbers =
        Pattern.compile(" - event (\\d+) of")
            .matcher(text(out))
            .results()
            .map(m -> m.group(1))
            .toList();
    assertThat(numbers)
        .containsExactlyElementsOf(
            IntStream.range(1000, EVENTS).mapToObj(Integer::toString).toList());
    assertThat(files(spill)).as("nothing is changed by looking").isEqualTo(before);
  }

  /** Whatever the charset of the log is, and without what the spill keeps beside the lines. */
  @ParameterizedTest
  @ValueSource(strings = {"BLOCK", "DROP_OLDEST"})
  void shouldPrintLogLinesByteForByte(String whenFull) throws Exception {
    Path file = Files.createSymbolicLink(directory.resolve("app.log"), Path.of("/dev/full"));
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName("SPILLWAY");
    appender.setFile(file.toString());
    appender.setMaxFlushTime(1);
    appender.setWhenFull(whenFull);
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setCharset(StandardCharsets.ISO_8859_1);
    encoder.setPattern("%m\n");
    encoder.start();
    appender.setEncoder(encoder);
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.setContext(context);
    policy.setParent(appender);
    policy.setFileNamePattern(directory + "/app.%d.log");
    policy.start();
    appender.setRollingPolicy(policy);
    appender.start();
    var logger = context.getLogger("shop");
    logger.addAppender(appender);
    logger.info("gr\u00fcn");
    logger.info("gr\u00f6\u00dfer");
    appender.stop();
    awaitEnd();
    Path spill = directory.resolve("app.log.spill");

    assertThat(execute(spill, "--events")).isZero();
    assertThat(out.toString(StandardCharsets.ISO_8859_1))
        .startsWith("gr\u00fcn\ngr\u00f6\u00dfer\n" + spill + "\n");
  }

  /** As the text around them is. */
  @Test
  void shouldPrintNumbersInEnglishInEveryLocale() throws Exception {
    Path spill = leftBehind("BLOCK");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Duser.language=de",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "spill",
                spill.toString())
            .redirectErrorStream(true)
            .start();
    assertThat(process.inputReader().lines())
        .anySatisfy(line -> assertThat(line).contains("2,000 events wait"));
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void shouldTellDamage() throws Exception {
    Path spill = leftBehind("BLOCK");
    Path segment = segments(spill).get(0);
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(file.length() / 2);
      int old = file.read();
      file.seek(file.length() / 2);
      file.write(old ^ 1);
    }

    assertThat(execute(spill)).isEqualTo(1);
    assertThat(text(out)).contains("damaged");
    Matcher lost = Pattern.compile("([\\d,]+) events wait, ([\\d,]+) are lost").matcher(text(out));
    assertThat(lost.find()).isTrue();
    assertThat(number(lost.group(2))).isBetween(1L, 512L);
    assertThat(number(lost.group(1)) + number(lost.group(2)))
        .as(() -> text(out) + files(spill))
        .isEqualTo(EVENTS - 1000);
  }

  @Test
  void shouldTellThatTheHeaderIsDamaged() throws Exception {
    Path spill = leftBehind("BLOCK");
    Path segment = segments(spill).get(0);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[30] ^= 1;
    Files.write(segment, bytes);

    assertThat(execute(spill)).isEqualTo(1);
    assertThat(text(out)).contains("unreadable", "the header is damaged");
  }

  @Test
  void shouldSayThatNothingWaits() {
    assertThat(execute(directory)).isZero();
    assertThat(text(out)).contains("Nothing waits in " + directory);
  }

  @Test
  void shouldRefuseWhatIsNoDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("app.log"), "");

    assertThat(execute(file)).isEqualTo(2);
    assertThat(text(err)).contains(file + " is no directory. To do: ", "<file>.spill");
    assertThat(execute(directory.resolve("missing"))).isEqualTo(2);
  }

  /** 1,000 events are delivered, one is in the hands of a stuck sink, the others wait. */
  private Path leftBehind(String whenFull) throws Exception {
    StickingAppender sink = new StickingAppender();
    sink.setContext(context);
    sink.setName("SINK");
    sink.start();
    SpillwayAppender appender = new SpillwayAppender();
    appender.setContext(context);
    appender.setName("SPILLWAY");
    Path spill = directory.resolve("app.spill");
    appender.setSpillDirectory(spill.toString());
    appender.setMemoryBuffer("64KB");
    appender.setMaxFlushTime(1);
    appender.setWhenFull(whenFull);
    appender.addAppender(sink);
    appender.start();
    var logger = context.getLogger("shop");
    logger.addAppender(appender);
    for (int i = 0; i < EVENTS; i++) {
      logger.info("event {} of {}", i, "x".repeat(100));
    }
    assertThat(sink.stuck.await(20, TimeUnit.SECONDS))
        .as(() -> context.getStatusManager().getCopyOfStatusList().toString())
        .isTrue();
    appender.stop();
    sink.letGo.countDown();
    awaitEnd();
    return spill;
  }

  private void awaitEnd() throws InterruptedException {
    context.stop();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("spillway-") && thread.getName().endsWith("-SPILLWAY")) {
        thread.join(20_000); // the spill is closed behind a stop that did not wait for it
      }
    }
  }

  private static List<Path> segments(Path spill) throws IOException {
    try (Stream<Path> files = Files.list(spill)) {
      return files.filter(file -> file.toString().endsWith(".seg")).sorted().toList();
    }
  }

  private static List<String> files(Path spill) {
    try (Stream<Path> files = Files.walk(spill)) {
      return files.map(file -> file + " " + file.toFile().length()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long waiting(String told) {
    Matcher matcher = Pattern.compile("([\\d,]+) events wait").matcher(told);
    assertThat(matcher.find()).isTrue();
    return number(matcher.group(1));
  }

  private static long number(String text) {
    return Long.parseLong(text.replace(",", ""));
  }

  private int execute(Path of, String... options) {
    out.reset();
    err.reset();
    String[] arguments =
        Stream.concat(Stream.of("spill", of.toString()), Stream.of(options)).toArray(String[]::new);
    return CommandLineTool.execute(
        arguments,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
