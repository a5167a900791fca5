package io.spillway.testkit;

import static java.util.stream.Collectors.joining;

import io.spillway.SpillwayRollingFileAppender;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The classes of the JDK and of the libraries that a child JVM needs, parsed and verified once and
 * mapped by all (class data sharing, JEP 310): a third of the CPU of a child that lives for a
 * second. An archive can hold only what comes from jars, and they have to stand first on the class
 * path: the project's own classes are loaded as ever.
 */
final class ClassArchive {
  /** The class path of this JVM, with the jars first. */
  static final String CLASS_PATH = classPath(true) + File.pathSeparator + classPath(false);

  private static final Path DIRECTORY = Path.of("target", "class-archive");
  private static final Path FILE = DIRECTORY.toAbsolutePath().resolve(name() + ".jsa");
  private static final String MAIN = ClassArchive.class.getName();
  private static final File OUTPUT = DIRECTORY.resolve("output").toFile();

  private static boolean tried;

  private ClassArchive() {}

  /** For the command of a JVM with {@link #CLASS_PATH}; none until the archive is there. */
  static synchronized List<String> options() {
    if (Files.exists(FILE)) {
      return List.of("-XX:SharedArchiveFile=" + FILE);
    }
    if (!tried) {
      tried = true;
      begin("make"); // nobody waits for it
    }
    return List.of();
  }

  /** Of several test JVMs only the first makes it. */
  private static void make() throws IOException {
    Path lock = DIRECTORY.resolve(name() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.tryLock()) {
      if (held != null && !Files.exists(FILE)) {
        makeLocked();
      }
    }
  }

  private static void makeLocked() throws IOException {
    Path work = Files.createTempDirectory(DIRECTORY, "making");
    Path used = work.resolve("used");
    java(
        "-Xshare:off",
        "-XX:DumpLoadedClassList=" + used,
        "-cp",
        CLASS_PATH,
        MAIN,
        "train",
        "" + work);
    List<String> libraries =
        Files.readAllLines(used).stream().filter(line -> !line.contains("spillway")).toList();
    Path list = Files.write(work.resolve("list"), libraries);
    Path made = work.resolve("made.jsa");
    String archive = "-XX:SharedArchiveFile=" + made;
    java("-Xshare:dump", "-XX:SharedClassListFile=" + list, archive, "-cp", classPath(true));
    Files.move(made, FILE, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void java(String... arguments) throws IOException {
    int exitCode = start(arguments).onExit().join().exitValue();
    if (exitCode != 0) {
      throw new IOException(List.of(arguments) + " ended with " + exitCode);
    }
  }

  private static void begin(String what) {
    try {
      Files.createDirectories(DIRECTORY);
      start("-cp", System.getProperty("java.class.path"), MAIN, what);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    return builder.redirectOutput(Redirect.appendTo(OUTPUT)).start();
  }

  /** Another JDK, or other libraries: another archive. */
  private static String name() {
    String made = System.getProperty("java.vm.version") + classPath(true);
    return Integer.toHexString(made.hashCode());
  }

  private static String classPath(boolean jars) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(element -> Files.isRegularFile(Path.of(element)) == jars)
        .collect(joining(File.pathSeparator));
  }

  /** Makes the archive, or is the child whose classes are in it. */
  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("make")) {
      make();
    } else {
      train(Path.of(arguments[1]));
    }
  }

  /** What most children do: one configuration, events, a rollover, the end. */
  private static void train(Path directory) {
    String settings =
        "<file>DIR/app.log</file>"
            + "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern></rollingPolicy>"
            + "<triggeringPolicy class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'>"
            + "<maxFileSize>1KB</maxFileSize></triggeringPolicy>"
            + "<encoder><pattern>%d [%t] %-5p %c{20} - %m%n</pattern></encoder>";
    String appender = SpillwayRollingFileAppender.class.getName();
    try (Configured configured = new Configured(appender, directory, settings)) {
      for (int i = 0; i < 100; i++) {
        configured.logger.info("order {} accepted", i, new IllegalStateException("of " + i));
      }
      configured.awaitDelivered();
    }
  }
}
