package io.spillway.stress.service;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.report.RefusedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A forked JVM that is spoken to line by line: the application or its client. Its standard input
 * stays open as long as this process lives, and it ends when that closes.
 */
final class ServiceJvm implements AutoCloseable {

  private static final String END = "";

  /** Whose JVM a client's is. */
  static final String CLIENT = "the client's";

  /** What a service says before it ends because it was not told right. */
  private static final String REFUSED = "refused ";

  /** Another process may have inherited its output, so that it does not end with it. */
  private static final long READ_MILLIS = 5_000;

  /** What a process ends with that a signal ends, less the signal. */
  private static final int SIGNALS = 128;

  private static final int KILL = 9;
  private static final int TERM = 15;

  private final String whose;
  private final Process process;
  private final Path errors;
  private final OutputStream in;
  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
  private final Thread reader = new Thread(this::read, "service-output");
  private volatile boolean outOfMemory;
  private volatile String refusal;

  private ServiceJvm(String whose, Process process, Path errors) {
    this.whose = whose;
    this.process = process;
    this.errors = errors;
    this.in = process.getOutputStream();
  }

  /**
   * Starts it in a directory; its standard error goes to a file.
   *
   * @param whose JVM it is, as messages begin: "its"
   */
  static ServiceJvm start(String whose, List<String> command, Path directory, Path errors)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    ServiceJvm jvm = new ServiceJvm(whose, builder.redirectError(errors.toFile()).start(), errors);
    jvm.reader.setDaemon(true);
    jvm.reader.start();
    return jvm;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(this::hear);
    } catch (IOException | UncheckedIOException e) {
      said.add("its output could not be read: " + e);
    }
    said.add(END);
  }

  private void hear(String line) {
    outOfMemory |= line.startsWith(ChildCommand.OUT_OF_MEMORY);
    if (line.startsWith(REFUSED)) {
      refusal = line.substring(REFUSED.length());
    }
    said.add(line);
  }

  long pid() {
    return process.pid();
  }

  /**
   * The rest of the next line that begins with a word.
   *
   * @throws Ended if there is none in time, or the process has ended
   */
  String await(String word, double seconds) throws InterruptedException {
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    while (true) {
      String line = said.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new Ended(
            whose + " JVM did not say '" + word + "' within " + Math.round(seconds) + " s");
      }
      if (line.equals(END)) {
        said.add(END);
        throw ended(process.waitFor());
      }
      if (line.startsWith(word)) {
        return line.substring(word.length()).strip();
      }
    }
  }

  /** How it has failed; null if it does not end within this time, or has ended well. */
  Ended failedWithin(double seconds) throws InterruptedException {
    boolean over = process.waitFor((long) (seconds * 1000), TimeUnit.MILLISECONDS);
    return over && process.exitValue() != 0 ? ended(process.exitValue()) : null;
  }

  private Ended ended(int code) throws InterruptedException {
    reader.join(READ_MILLIS);
    if (refusal != null) {
      return new Ended(refusal, true, true);
    }
    boolean signalled = code == SIGNALS + KILL || code == SIGNALS + TERM;
    String how = whose + " JVM has ended with exit code " + code;
    if (outOfMemory) {
      how = whose + " JVM ran out of memory";
    } else if (signalled) {
      how = whose + " JVM was killed from outside (exit code " + code + ")";
    }
    String tail = ChildProcess.Tail.of(errors);
    String message = how + (tail.isEmpty() ? "" : ": " + tail);
    return new Ended(message, false, signalled || whose.equals(CLIENT));
  }

  /** Tells it something; returns false if it has ended. */
  boolean tell(String word) {
    try {
      in.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
      in.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Tells the service something, and returns the figures with which it answers. */
  Map<String, Double> ask(String word, double seconds) throws InterruptedException {
    if (!tell(word)) {
      await("figures", 1); // says how it has ended
    }
    Map<String, Double> figures = new HashMap<>();
    for (String figure : await("figures", seconds).split(" ")) {
      int equals = figure.indexOf('=');
      figures.put(figure.substring(0, equals), Double.valueOf(figure.substring(equals + 1)));
    }
    return figures;
  }

  /** Waits until it has ended by itself. */
  void awaitEnd(double seconds) throws InterruptedException {
    if (!process.waitFor((long) (seconds * 1000), TimeUnit.MILLISECONDS)) {
      throw new Ended(whose + " JVM did not end within " + Math.round(seconds) + " s");
    }
    if (process.exitValue() != 0) {
      throw ended(process.exitValue());
    }
  }

  /** The most memory that it has had resident, in bytes; empty where the system does not tell. */
  Optional<Long> mostResidentBytes() {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid()), "status"))
          .lines()
          .filter(line -> line.startsWith("VmHWM:"))
          .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /**
   * The class path of a service: its server's, and what logs. Dropwizard brings a Logback of its
   * own; on Tomcat it is the harness's.
   *
   * @throws RefusedException if the services are not built
   */
  static String classPath(String kind) {
    String[] own = System.getProperty("java.class.path").split(File.pathSeparator);
    Path project = Path.of(own[0]).toAbsolutePath().getParent().resolve("../..").normalize();
    Path target = project.resolve("stress/services/target");
    if (!Files.isDirectory(target.resolve("tomcat"))) {
      throw new RefusedException(
          "the services are not built: there is no directory "
              + target.resolve("tomcat")
              + ". To do: start by ./spillway-stress, or build with ./mvnw package");
    }
    List<String> entries = new ArrayList<>(List.of(target.resolve("classes").toString()));
    if (kind.equals("request-log")) {
      entries.add(target.resolve("dropwizard") + "/*");
      entries.add(project.resolve("config-examples/dropwizard/target/classes").toString());
      entries.add(project.resolve("appender/target/classes").toString());
    } else {
      entries.add(target.resolve("tomcat") + "/*");
      Arrays.stream(own)
          .map(entry -> Path.of(entry).toAbsolutePath())
          .forEach(entry -> entries.add(entry.toString()));
    }
    return String.join(File.pathSeparator, entries);
  }

  /** The process has not done what it was to do. */
  static final class Ended extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean refused;
    private final boolean excused;

    Ended(String how) {
      this(how, false, false);
    }

    private Ended(String how, boolean refused, boolean excused) {
      super(how);
      this.refused = refused;
      this.excused = excused;
    }

    /**
     * Whether a signal has ended it, or it was not told right, or it is the client, and not one
     * that waits for answers.
     */
    boolean isExcused() {
      return excused;
    }

    /** Whether it says itself that it was not told right. */
    boolean refused() {
      return refused;
    }
  }
}
