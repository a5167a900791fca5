package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.RefusedException;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.example.WaitingTarget;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real JVMs that are watched. */
@Tag("slow")
@Timeout(120)
class WatchTest {

  private static final String PARKING = WaitingTarget.class.getName() + "$Parking.append";
  private static final int SECONDS = 4;

  @TempDir Path directory;
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private Process target;

  private void start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(WaitingTarget.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JDK_JAVA_OPTIONS");
    target = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader said = target.inputReader();
    assertThat(said.lines().anyMatch(line -> line.equals("ready"))).isTrue();
  }

  @AfterEach
  void end() throws InterruptedException {
    if (target != null) {
      target.destroyForcibly().waitFor();
    }
  }

  private JsonNode watch(boolean terminal) throws Exception {
    PrintStream to = new PrintStream(shown, true, StandardCharsets.UTF_8);
    Path files = new Watch(target.pid(), SECONDS, directory).execute(to, terminal);
    assertThat(Files.readString(files.resolve("watch.html"))).contains("Process " + target.pid());
    return Json.read(files.resolve("watch.json"), JsonNode.class);
  }

  private static JsonNode row(JsonNode result, String frame) {
    for (JsonNode row : result.at("/waits")) {
      if (row.at("/place/frame").asText().equals(frame)) {
        return row;
      }
    }
    throw new AssertionError(frame + " is not in " + result);
  }

  @Test
  @Tag("gate")
  void shouldTellWhoWaitsWhereAndHowLong() throws Exception {
    start();

    JsonNode result = watch(true);

    JsonNode held = row(result, PARKING);
    assertThat(held.at("/place/logging").asBoolean()).isTrue();
    assertThat(held.at("/threadsNow").asInt()).isEqualTo(5);
    // five threads, and one more in waits of 50 ms
    double seconds = result.at("/seconds").asDouble();
    assertThat(held.at("/threadSeconds").asDouble()).isBetween(2.5 * SECONDS, 6.5 * seconds);
    assertThat(held.at("/waits").asInt()).isBetween(20, 100);
    JsonNode monitor = row(result, WaitingTarget.class.getName() + ".enter");
    assertThat(monitor.at("/place/logging").asBoolean()).isFalse();
    assertThat(monitor.at("/threadsNow").asInt()).isEqualTo(1);
    assertThat(result.at("/waits")).as("and no pool that waits for work").hasSize(2);
    assertThat(seconds).isCloseTo(SECONDS, within(3.0));
    assertThat(shown.toString(StandardCharsets.UTF_8))
        .contains("Watching " + target.pid(), "log call: " + PARKING, "\u001b[2J");
    assertThat(target.isAlive()).isTrue();
  }

  @Test
  void shouldEndWithTheProcess() throws Exception {
    start();
    PrintStream to =
        new PrintStream(shown, true, StandardCharsets.UTF_8) {
          @Override
          public void print(String text) {
            super.print(text);
            target.destroyForcibly();
          }
        };

    Path files = new Watch(target.pid(), 3_600, directory).execute(to, false);

    assertThat(Json.read(files.resolve("watch.json"), JsonNode.class).at("/notes").toString())
        .contains("The process ended during the watch.");
  }

  @Test
  void shouldSayWhyAProcessCannotBeWatchedAndWhatToDo() throws Exception {
    start("-XX:+DisableAttachMechanism");
    refused(target.pid(), "Start it without -XX:+DisableAttachMechanism");
    refused(ProcessHandle.current().pid(), "is this watcher itself");
    refused(Integer.MAX_VALUE, "there is no process 2147483647");
    Process other = new ProcessBuilder("cat").start();
    refused(other.pid(), "is not a HotSpot JVM; ./spillway-stress watch lists");
    other.destroy();
  }

  private void refused(long pid, String why) {
    PrintStream to = new PrintStream(shown, true, StandardCharsets.UTF_8);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> new Watch(pid, 1, directory).execute(to, false))
        .withMessageContaining(why);
  }
}
