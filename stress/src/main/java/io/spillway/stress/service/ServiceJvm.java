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
 * A forked JVM, the application or its client, which receives commands and prints answers line by
 * line. Its standard input stays open as long as this process lives, and the JVM ends when that
 * closes.
 */
final class ServiceJvm implements AutoCloseable {

  private static final String END = "";

  /** The owner in messages on the client's JVM. */
  static final String CLIENT = "the client's";

  /** Printed by a service before it ends because of a wrong setting. */
  private static final String REFUSED = "refused ";

  /** Limits the wait for the end of its output, which a process that inherited it may keep open. */
  private static final long READ_MILLIS = 5_000;

  /** The exit code of a process ended by a signal is this plus the signal's number. */
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
   * Starts a JVM in a directory; its standard error goes to a file.
   *
   * @param whose the owner of the JVM, with which messages begin, such as "its"
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
   * Returns the rest of the next output line that begins with a word; other lines are dropped.
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

  /** Returns how it failed; null if it does not end within this time, or its exit code is 0. */
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

  /** Sends a line; returns false if the process has ended. */
  boolean tell(String word) {
    try {
      in.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
      in.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends the service a line, and returns the figures with which it answers. */
  Map<String, Double> ask(String word, double seconds) throws InterruptedException {
    if (!tell(word)) {
      await("figures", 1); // throws, with how it has ended
    }
    Map<String, Double> figures = new HashMap<>();
    for (String figure : await("figures", seconds).split(" ")) {
      int equals = figure.indexOf('=');
      figures.put(figure.substring(0, equals), Double.valueOf(figure.substring(equals + 1)));
    }
    return figures;
  }

  /** Waits until it ends by itself; throws if it does not, or its exit code is not 0. */
  void awaitEnd(double seconds) throws InterruptedException {
    if (!process.waitFor((long) (seconds * 1000), TimeUnit.MILLISECONDS)) {
      throw new Ended(whose + " JVM did not end within " + Math.round(seconds) + " s");
    }
    if (process.exitValue() != 0) {
      throw ended(process.exitValue());
    }
  }

  /** Returns the most resident memory it had so far, in bytes; empty where that is not known. */
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
   * Returns the class path of a service: its server and its logging libraries. Dropwizard brings
   * its own Logback; on Tomcat the harness's is used.
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
      entries.add(project.resolve("appender/dropwizard/target/classes").toString());
      entries.add(project.resolve("appender/target/classes").toString());
    } else {
      entries.add(target.resolve("tomcat") + "/*");
      Arrays.stream(own)
          .map(entry -> Path.of(entry).toAbsolutePath())
          .forEach(entry -> entries.add(entry.toString()));
    }
    return String.join(File.pathSeparator, entries);
  }

  /** The process has failed or not answered. */
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
     * Returns whether the failure is not the service's fault: a signal ended it, its settings were
     * refused, or it is the client's. A timeout is never excused.
     */
    boolean isExcused() {
      return excused;
    }

    /** Returns whether the service refused its settings. */
    boolean refused() {
      return refused;
    }
  }
}
