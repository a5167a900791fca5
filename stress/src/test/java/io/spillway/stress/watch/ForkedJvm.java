package io.spillway.stress.watch;

import io.spillway.stress.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A forked JVM whose lines are read as it prints them: a target, a watcher, or a jcmd. */
final class ForkedJvm implements AutoCloseable {

  /** A JDK 25 beside this one: JDK25_HOME, or where Linux distributions put it; or null. */
  static final Path JDK25 = jdk25();

  static final Path OWN_JDK = Path.of(System.getProperty("java.home"));
  private static final long PATIENCE_SECONDS = 60;
  private static final String LISTENING = "0A";

  private final Process process;
  private final BufferedReader lines;
  private final List<String> said = new ArrayList<>();

  private ForkedJvm(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("JDK_JAVA_OPTIONS"); // the launcher would print a line about it
    process = builder.start();
    lines = process.inputReader();
  }

  static ForkedJvm java(Path jdk, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin").resolve("java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    return new ForkedJvm(command);
  }

  static ForkedJvm target(Path jdk, String threads) throws IOException {
    return java(jdk, HoldUpTarget.class.getName(), threads);
  }

  static ForkedJvm watcher(Path jdk, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("--add-exports", "jdk.attach/sun.tools.attach=ALL-UNNAMED"));
    command.addAll(List.of(Main.class.getName(), "watch"));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return java(jdk, command.toArray(String[]::new));
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  void tell(String line) throws IOException {
    Writer out = process.outputWriter();
    out.write(line + "\n");
    out.flush();
  }

  /** Reads until a line holds that, and returns it. */
  String await(String part) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      said.add(line);
      if (line.contains(part)) {
        return line;
      }
    }
    throw new IOException("It never said [" + part + "], but: " + said);
  }

  /** Reads to the end and returns the exit code. */
  int awaitEnd() throws IOException, InterruptedException {
    lines.lines().forEach(said::add);
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("It does not end");
    }
    return process.exitValue();
  }

  String said() {
    return String.join("\n", said);
  }

  /** Sends a signal, by the name that kill takes. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start().waitFor();
  }

  /** What the target's flight recorder says of its recordings. */
  String recordings() throws IOException, InterruptedException {
    String jcmd = OWN_JDK.resolve("bin").resolve("jcmd").toString();
    try (ForkedJvm asked = new ForkedJvm(List.of(jcmd, Long.toString(pid()), "JFR.check"))) {
      asked.awaitEnd();
      return asked.said();
    }
  }

  /** The inodes of the TCP sockets on which the process listens. */
  Set<String> listeningSockets() throws IOException {
    Set<String> own = new TreeSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
      for (Path descriptor : descriptors.toList()) {
        own.add(target(descriptor));
      }
    }
    Set<String> listening = new TreeSet<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] columns = line.strip().split("\\s+");
        if (columns[3].equals(LISTENING) && own.contains("socket:[" + columns[9] + "]")) {
          listening.add(columns[9]);
        }
      }
    }
    return listening;
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closed) { // since it was listed
      return "";
    }
  }

  private static Path jdk25() {
    String named = System.getenv("JDK25_HOME");
    if (named != null) {
      return Path.of(named);
    }
    Path usual = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(usual)) {
      return null;
    }
    try (Stream<Path> homes = Files.list(usual)) {
      return homes
          .filter(home -> home.getFileName().toString().contains("25"))
          .filter(home -> Files.isExecutable(home.resolve("bin").resolve("javac")))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
