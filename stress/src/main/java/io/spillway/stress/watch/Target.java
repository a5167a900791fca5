package io.spillway.stress.watch;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.spillway.stress.report.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The watched JVM, reached through the JDK's attach API. It executes diagnostic commands, as with
 * {@code jcmd}, and no agent is loaded into it. The API has no public method for commands; its
 * implementation has one, in a package that {@code Add-Exports} in the jar's manifest opens.
 */
public final class Target implements AutoCloseable {

  private static final double NANOS = 1e9;
  private static final int BUFFER_BYTES = 8192;

  /** The timeout of an answer; a dump of thousands of threads or a collection takes seconds. */
  private static final long PATIENCE_SECONDS = 30;

  private final long pid;
  private final VirtualMachine machine;
  private final Method command;
  private final long patienceSeconds;
  private boolean silent; // guarded by this

  /** The process exists, but did not answer in time: it is stopped, or hangs. */
  static final class NoAnswer extends IOException {
    private static final long serialVersionUID = 1;

    NoAnswer(long pid, long seconds) {
      super(
          "process "
              + pid
              + " has not answered for "
              + seconds
              + " s; if it is stopped, let it go on (kill -CONT "
              + pid
              + ")");
    }
  }

  private Target(long pid, VirtualMachine machine, Method command, long patienceSeconds) {
    this.pid = pid;
    this.patienceSeconds = patienceSeconds;
    this.machine = machine;
    this.command = command;
  }

  /**
   * Attaches to a JVM.
   *
   * @throws RefusedException if that is not possible; the message names the reason and the remedy
   */
  static Target attach(long pid) throws IOException {
    return attach(pid, PATIENCE_SECONDS);
  }

  static Target attach(long pid, long patienceSeconds) throws IOException {
    check(pid);
    VirtualMachine machine = open(pid);
    try {
      Method command = machine.getClass().getMethod("executeJCmd", String.class);
      return new Target(pid, machine, command, patienceSeconds);
    } catch (NoSuchMethodException e) {
      machine.detach();
      throw new RefusedException(
          "this Java ("
              + System.getProperty("java.vm.name")
              + ") cannot send diagnostic commands; run watch with a HotSpot JDK, 17 or newer");
    }
  }

  private static VirtualMachine open(long pid) throws IOException {
    try {
      return VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException e) {
      throw new RefusedException(
          "process "
              + pid
              + " refuses to be attached to ("
              + e.getMessage()
              + "). Start it without -XX:+DisableAttachMechanism; if it is stopped or hangs, let it"
              + " go on");
    } catch (IOException e) {
      if (ProcessHandle.of(pid).isEmpty()) {
        throw new RefusedException(noProcess(pid));
      }
      throw new RefusedException(
          "process "
              + pid
              + " cannot be attached to: "
              + e.getMessage()
              + ". Run watch as the user that runs the process");
    }
  }

  long pid() {
    return pid;
  }

  /** Returns the CPU seconds that the process has used so far, or 0 if they are not known. */
  double cpuSeconds() {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .map(cpu -> cpu.toNanos() / NANOS)
        .orElse(0.0);
  }

  /** Returns the system properties of the target. */
  Properties properties() throws IOException {
    return await(machine::getSystemProperties);
  }

  /**
   * Calls the attach API, which has no timeout, in a separate thread. After one timeout every
   * further call fails at once.
   */
  private synchronized <T> T await(Callable<T> question) throws IOException {
    if (silent) {
      throw new NoAnswer(pid, patienceSeconds);
    }
    FutureTask<T> answer = new FutureTask<>(question);
    Thread asking = new Thread(answer, "ask");
    asking.setDaemon(true);
    asking.start();
    try {
      return answer.get(patienceSeconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      silent = true;
      throw new NoAnswer(pid, patienceSeconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns whether the process still runs; waits up to a second for a process that is ending. */
  boolean alive() {
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    try {
      process.ifPresent(running -> running.onExit().orTimeout(1, TimeUnit.SECONDS).join());
      return false;
    } catch (CompletionException e) {
      return true;
    }
  }

  /**
   * Executes a diagnostic command and returns its output.
   *
   * @throws IOException if the command is unknown or fails, or the process has ended
   */
  String ask(String line) throws IOException {
    return await(() -> askNow(line));
  }

  private String askNow(String line) throws IOException {
    try (InputStream in = (InputStream) command.invoke(machine, line)) {
      // Not readAllBytes(): on JDK 17 it stops at 4096 bytes, and the target then waits for ever.
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int n = in.read(buffer, 0, BUFFER_BYTES); n >= 0; n = in.read(buffer, 0, BUFFER_BYTES)) {
        text.write(buffer, 0, n);
      }
      return text.toString(StandardCharsets.UTF_8);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new RefusedException(
          "the attach API is closed to this program. Start it by ./spillway-stress or java -jar, or"
              + " add --add-exports jdk.attach/sun.tools.attach=ALL-UNNAMED");
    }
  }

  @Override
  public void close() throws IOException {
    machine.detach();
  }

  /** Returns the JVMs of this user that could be watched: all but this one, by process id. */
  public static List<Jvm> list() {
    long self = ProcessHandle.current().pid();
    return VirtualMachine.list().stream()
        .map(found -> new Jvm(Long.parseLong(found.id()), found.displayName()))
        .filter(jvm -> jvm.pid() != self)
        .sorted(Comparator.comparingLong(Jvm::pid))
        .toList();
  }

  /**
   * Refuses processes that cannot be watched. Attaching sends a signal that would end a process
   * that is no JVM, so only recognised JVMs are attached to.
   *
   * @throws RefusedException with the reason and the remedy
   */
  static void check(long pid) {
    if (pid == ProcessHandle.current().pid()) {
      throw new RefusedException("process " + pid + " is this watcher itself; name another one");
    }
    ProcessHandle process =
        ProcessHandle.of(pid).orElseThrow(() -> new RefusedException(noProcess(pid)));
    requireSameUser(pid, process.info().user(), ProcessHandle.current().info().user());
    Path maps = Path.of("/proc", Long.toString(pid), "maps");
    Optional<String> mapped = read(maps);
    if (mapped.isPresent()) {
      requireHotSpot(pid, mapped.get());
    } else if (list().stream().noneMatch(jvm -> jvm.pid() == pid)) {
      throw new RefusedException(noJvm(pid));
    }
  }

  /** Reads the file; empty where there is none, as on Windows or macOS, or no right to read it. */
  private static Optional<String> read(Path maps) {
    try {
      return Optional.of(Files.readString(maps));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static String noProcess(long pid) {
    return "there is no process " + pid + "; ./spillway-stress watch lists those it can watch";
  }

  /** Refuses a process of another user; root may watch the processes of all users. */
  static void requireSameUser(long pid, Optional<String> owner, Optional<String> self) {
    if (owner.isPresent() && self.isPresent() && !owner.equals(self) && !isRoot(self.get())) {
      throw new RefusedException(
          String.format(
              "process %d belongs to user %s, and a JVM can be attached to only by its own user."
                  + " Run watch as %s, for example with sudo -u %s",
              pid, owner.get(), owner.get(), owner.get()));
    }
  }

  private static boolean isRoot(String user) {
    return user.equals("root");
  }

  /** Refuses a process that is no HotSpot JVM, by the libraries that it has mapped. */
  static void requireHotSpot(long pid, String maps) {
    if (maps.contains("/libj9vm")) {
      throw new RefusedException(
          "process "
              + pid
              + " runs on OpenJ9, which has no flight recorder that watch can read; run it on a"
              + " HotSpot JVM (OpenJDK, Temurin, Corretto, Zulu), 17 or newer");
    }
    if (!maps.contains("/libjvm.")) {
      throw new RefusedException(noJvm(pid));
    }
  }

  private static String noJvm(long pid) {
    return "process "
        + pid
        + " is not a HotSpot JVM; ./spillway-stress watch lists those it can watch";
  }

  /**
   * A JVM that could be watched.
   *
   * @param pid its process id
   * @param command its main class or jar, and its arguments
   */
  public record Jvm(long pid, String command) {}

  /**
   * Version and main class of the target.
   *
   * @param version its Java version, such as 17.0.15
   * @param feature the first number of the Java version
   * @param command its main class or jar
   */
  record Info(String version, int feature, String command) {

    private static final int OLDEST = 17;
    private static final int VIRTUAL_THREADS_SINCE = 21;

    /**
     * Queries the target.
     *
     * @throws RefusedException if its Java is too old
     */
    static Info of(Target target) throws IOException {
      Properties properties = target.properties();
      String version = properties.getProperty("java.version", "?");
      String specification = properties.getProperty("java.specification.version", "0");
      int feature = Integer.parseInt(specification.replace("1.", ""));
      if (feature < OLDEST) {
        throw new RefusedException(
            "process " + target.pid() + " runs on Java " + version + "; watch needs 17 or newer");
      }
      String command = properties.getProperty("sun.java.command", "?").split(" ")[0];
      return new Info(version, feature, command);
    }

    boolean hasVirtualThreads() {
      return feature >= VIRTUAL_THREADS_SINCE;
    }

    String describe() {
      return "Java " + version + ", " + command;
    }
  }
}
