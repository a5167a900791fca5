package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;

/** Reads dumps that this very JVM makes of threads in known states. */
class ThreadDumpsTest {

  @TempDir Path directory;
  private final Object monitor = new Object();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);

  @Test
  void shouldReadAPrintedDump() throws Exception {
    assertOwnerAndWaiter(() -> ThreadDumps.printed(jcmd("Thread.print")));
  }

  @Test
  @EnabledForJreRange(minVersion = 25)
  void shouldReadADumpInJson() throws Exception {
    Path file = directory.resolve("threads.json");
    assertOwnerAndWaiter(
        () -> {
          jcmd("Thread.dump_to_file", "-overwrite", "-format=json", file.toString());
          return ThreadDumps.json(file);
        });
  }

  @Test
  void shouldShareNoFileWithAnotherWatcherOfTheSameJvm() {
    assertThat(ThreadDumps.file(directory).getFileName().toString())
        .contains(Long.toString(ProcessHandle.current().pid()));
  }

  private void assertOwnerAndWaiter(Dump dump) throws Exception {
    Thread owner = new Thread(this::own, "the \"owner\"");
    Thread waiter = new Thread(this::enter, "waiter");
    owner.start();
    entered.await();
    waiter.start();
    while (waiter.getState() != Thread.State.BLOCKED || owner.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    List<ThreadDumps.Sample> threads = dump.take();
    leave.countDown();
    owner.join();
    waiter.join();

    ThreadDumps.Sample owning = named(threads, owner.getName());
    ThreadDumps.Sample waiting = named(threads, "waiter");
    assertThat(owning.id()).isEqualTo(owner.getId());
    assertThat(owning.state()).isEqualTo(Thread.State.WAITING);
    assertThat(owning.stack()).contains(new Place.Frame(getClass().getName(), "own"));
    assertThat(waiting.blocked()).isTrue();
    assertThat(waiting.stack().get(0)).isEqualTo(new Place.Frame(getClass().getName(), "enter"));
    assertThat(waiting.owns()).isEmpty();
    assertThat(owning.owns()).containsExactly(waiting.waitsFor());
    assertThat(named(threads, "Finalizer").owns()).isEmpty();
  }

  private void own() {
    synchronized (monitor) {
      entered.countDown();
      try {
        leave.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void enter() {
    synchronized (monitor) {
      entered.countDown();
    }
  }

  private static ThreadDumps.Sample named(List<ThreadDumps.Sample> threads, String name) {
    return threads.stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow();
  }

  private static String jcmd(String... command) throws Exception {
    List<String> whole = new ArrayList<>();
    whole.add(ForkedJvm.OWN_JDK.resolve("bin").resolve("jcmd").toString());
    whole.add(Long.toString(ProcessHandle.current().pid()));
    whole.addAll(List.of(command));
    Process process = new ProcessBuilder(whole).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private interface Dump {
    List<ThreadDumps.Sample> take() throws Exception;
  }
}
