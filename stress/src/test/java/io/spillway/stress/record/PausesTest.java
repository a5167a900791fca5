package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.calibrate.Asking;
import io.spillway.stress.report.TrialResult;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Collections made on purpose, held against the JVM's own log and counters. */
@Tag("own")
@Tag("alone") // two clocks, read one after the other
class PausesTest {

  private static final int ASKED_FOR = 3;
  private static final int ORDERED = 2;
  private static final int COPIED_BYTES = 256 << 20;

  /** Log and recorder take their times a little apart, for each pause. */
  private static final double APART_MILLIS = 0.5;

  private static final double SHARE = 0.05;
  private static final Pattern PAUSE = Pattern.compile(" Pause .* ([0-9.]+)ms$");
  private static final Pattern REACHED = Pattern.compile("Reaching safepoint: +([0-9]+) ns");

  @TempDir Path directory;
  private final byte[] bytes = new byte[COPIED_BYTES];
  private volatile boolean copied;
  private volatile boolean copying;

  /** The one at the end stands for the harness's. */
  @Test
  @Timeout(120)
  void shouldCountCollectionsAndMeasurePausesAsTheJvmItselfDoes() throws Exception {
    Path log = directory.resolve("jvm.log");
    Path file = directory.resolve("pauses.jfr");
    Thread copier = new Thread(this::copy);
    System
        .gc(); // what is large and new may begin a concurrent cycle, which only the recorder counts
    jvm("vmLog", "output=\"" + log + "\"", "what=\"gc=info,safepoint=info\"", "decorators=uptime");
    FlightRecording recording = new FlightRecording(file, false);
    long collectionsBefore = sum(GarbageCollectorMXBean::getCollectionCount);
    long millisBefore = sum(GarbageCollectorMXBean::getCollectionTime);
    copier.start();
    while (!copying) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < ASKED_FOR; i++) {
      Asking.forCollection();
    }
    for (int i = 0; i < ORDERED; i++) {
      jvm("gcRun");
    }
    copied = true;
    copier.join();
    long collections = sum(GarbageCollectorMXBean::getCollectionCount) - collectionsBefore;
    long millis = sum(GarbageCollectorMXBean::getCollectionTime) - millisBefore;
    System.gc();
    recording.close();
    jvm("vmLog", "output=\"" + log + "\"", "what=\"all=off\"");

    TrialResult.Pauses figures =
        RecordingAnalysis.of(file, "app-", new RecordingAnalysis.Span(0, 0, Long.MAX_VALUE))
            .pauses();

    List<Double> pauses = numbers(log, PAUSE);
    pauses.remove(pauses.size() - 1);
    double sum = pauses.stream().mapToDouble(Double::doubleValue).sum();
    double longest = pauses.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    assertThat(collections).isGreaterThanOrEqualTo(ASKED_FOR + ORDERED);
    assertThat(figures.collections()).isEqualTo(collections).isEqualTo(pauses.size());
    assertThat(figures.totalPauseMillis())
        .isCloseTo(sum, within(SHARE * sum + APART_MILLIS * collections))
        .isCloseTo(millis, within(SHARE * millis + collections));
    assertThat(figures.maxPauseMillis()).isCloseTo(longest, within(SHARE * longest + APART_MILLIS));
    assertThat(figures.askedFor().get(0).frame())
        .isEqualTo("io.spillway.stress.calibrate.Asking.forCollection");
    List<Double> reached = numbers(log, REACHED);
    double slowest = reached.stream().mapToDouble(nanos -> nanos / 1e6).max().orElseThrow();
    assertThat(slowest).as("the copying held a safepoint up").isGreaterThan(1);
    assertThat(figures.maxTimeToSafepointMillis())
        .isCloseTo(slowest, within(SHARE * slowest + APART_MILLIS));
  }

  /** A thread that copies an array cannot be stopped before it has done. */
  private void copy() {
    copying = true;
    while (!copied) {
      System.arraycopy(bytes, 0, bytes, 1, bytes.length - 1);
    }
  }

  private static List<Double> numbers(Path log, Pattern pattern) throws Exception {
    List<Double> numbers = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      Matcher found = pattern.matcher(line);
      if (found.find()) {
        numbers.add(Double.valueOf(found.group(1)));
      }
    }
    return numbers;
  }

  private static long sum(ToLongFunction<GarbageCollectorMXBean> figure) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(figure).sum();
  }

  private static void jvm(String command, String... arguments) throws Exception {
    ObjectName jvm = new ObjectName("com.sun.management:type=DiagnosticCommand");
    var server = ManagementFactory.getPlatformMBeanServer();
    if (arguments.length == 0) {
      server.invoke(jvm, command, new Object[0], new String[0]);
    } else {
      Object[] all = {arguments};
      server.invoke(jvm, command, all, new String[] {String[].class.getName()});
    }
  }
}
