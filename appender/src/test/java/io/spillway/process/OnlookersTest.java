package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JMX and the flight recorder cost nothing until somebody uses them, and then show everything. */
@Tag("slow")
@Timeout(180)
class OnlookersTest {
  /** Without the interfaces that come with the processor time of threads. */
  private static final Pattern FOR_ONLOOKERS =
      Pattern.compile(
          ".*\\] (com\\.sun\\.jmx|javax\\.management\\.(?!MBeanServerFactory |DynamicMBean "
              + "|NotificationBroadcaster |NotificationEmitter )|jdk\\.jfr\\."
              + "(?!FlightRecorder )|io\\.spillway\\.internal\\.metrics\\.Jfr(?!Events\\$Use )).* source: .*");

  /** The first digest and the first look at a thread's processor time cost seventy classes each. */
  private static final Pattern FOR_WORK =
      Pattern.compile(
          ".*\\] (java\\.lang\\.management|sun\\.security\\.jca|java\\.security\\.MessageDigest)"
              + "\\b.* source: .*");

  /** What a start leaves for later begins; on a busy machine before the start of all is over. */
  private static final String LATE = " io.spillway.internal.codec.Input ";

  @TempDir Path directory;

  private Fork child(String then, String... options) {
    return Fork.start(OnlookersChild.class, List.of(options), directory, then);
  }

  private static long rollovers(Path recording) throws IOException {
    return RecordingFile.readAllEvents(recording).stream()
        .filter(event -> event.getEventType().getName().equals("io.spillway.Rollover"))
        .count();
  }

  @Test
  void shouldLoadNothingForNobody() {
    try (Fork child = child("end", "-Xlog:class+load=info:stdout")) {
      child.awaitEnd(0);
      assertThat(child.output()).anyMatch(line -> line.contains("AfterStart source:"));
      assertThat(child.output()).noneMatch(line -> FOR_ONLOOKERS.matcher(line).matches());
    }
  }

  @Test
  void shouldLoadAtAStartNothingThatOnlyWorkNeeds() {
    try (Fork child =
        Fork.start(StartedChild.class, List.of("-Xlog:class+load=info:stdout"), directory)) {
      child.awaitEnd(0);
      assertThat(child.output()).anyMatch(line -> line.contains("CompressionWorker source:"));
      assertThat(child.output().stream().takeWhile(line -> !line.contains(LATE)))
          .noneMatch(line -> FOR_WORK.matcher(line).matches());
    }
  }

  @Test
  void shouldRegisterAtStartWithTheServerOfAnAgent() {
    try (Fork child = child("end", "-Dcom.sun.management.jmxremote")) {
      child.awaitEnd(0);
      assertThat(child.number("beansAtStart")).isOne();
    }
  }

  @Test
  void shouldRegisterWithAServerThatComesLater() {
    try (Fork child = child("serve")) {
      child.awaitLine("unseen");
      child.awaitAtLeast("beans", 1);
      assertThat(child.number("beansAtStart")).isZero();
    }
  }

  @Test
  void shouldRecordEverythingInARecordingThatIsThereAtStart() throws Exception {
    Path recording = directory.resolve("start.jfr");
    try (Fork child =
        child("end", "-XX:StartFlightRecording=dumponexit=true,filename=" + recording)) {
      child.awaitEnd(0);
      assertThat(rollovers(recording)).isEqualTo(child.number("rolled")).isPositive();
    }
  }

  @Test
  void shouldRecordInARecordingThatIsAskedForLater() {
    try (Fork child = child("stay")) {
      child.awaitLine("unseen");
      long pid = child.number("pid");
      jcmd(pid, "JFR.start");
      await()
          .atMost(Rig.PATIENCE)
          .until(
              () -> {
                Path recording = Files.createTempFile(directory, "dump", ".jfr");
                jcmd(pid, "JFR.dump", "filename=" + recording);
                return rollovers(recording) > 0;
              });
    }
  }

  private static void jcmd(long pid, String... command) {
    List<Object> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "jcmd"));
    words.add(pid);
    words.addAll(List.of(command));
    Shell.run(words.toArray());
  }
}
