package io.spillway.stress.service;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.report.RefusedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A service and the requests that it gets.
 *
 * @param rate requests a second
 * @param heap for {@code -Xmx}, or null for that of the run
 * @param cpus processors that the service may use, as {@code taskset -c} takes them, or null
 * @param searchP99Millis the limit of the 99th percentile in a search for the highest rate, or null
 *     for no search
 */
public record ServiceTrial(
    LoadSpec.Application application,
    double rate,
    int connections,
    int warmUpSeconds,
    String heap,
    String cpus,
    Double searchP99Millis) {

  private static final String REQUEST_LOG = "request-log";

  /** The kinds of services. */
  public static final List<String> KINDS = List.of("price-api", "push", "ingest", REQUEST_LOG);

  /** Names the directory with the built services; by default it lies beside the harness. */
  static final String DIRECTORY = "spillway.services";

  private static final String JETTY = "dw-";
  private static final int LEAST_LINE_BYTES = 120;
  private static final double SEARCH_SECONDS = 25;

  /** Returns how many lines a request logs, and the least length of the text of one. */
  public int lines() {
    return number("lines", 1);
  }

  public int lineBytes() {
    return number("lineBytes", LEAST_LINE_BYTES);
  }

  private int number(String setting, int otherwise) {
    return Integer.parseInt(application.work().getOrDefault(setting, Integer.toString(otherwise)));
  }

  /** Returns whether the server writes the lines, which can only be counted then. */
  public boolean isLoggedByServer() {
    return application.kind().equals(REQUEST_LOG);
  }

  /** Returns the beginning of the names of threads that make log calls. */
  public String threadPrefix() {
    return isLoggedByServer() ? JETTY : LoadSpec.APPLICATION_THREAD;
  }

  /** Returns how long the search for the highest rate takes, in seconds. */
  public double searchSeconds() {
    return searchP99Millis == null ? 0 : SEARCH_SECONDS;
  }

  /** Returns the command line with which a JVM runs on the processors of this trial only. */
  public List<String> onOwnProcessors(List<String> command) {
    Stream<String> pinned = cpus == null ? Stream.of() : Stream.of("taskset", "-c", cpus);
    return Stream.concat(pinned, command.stream()).toList();
  }

  /**
   * Returns the class path entries of the service's server and of the service.
   *
   * @throws RefusedException if the services have not been built
   */
  public List<Path> classPath() throws IOException {
    String harness = System.getProperty("java.class.path").split(File.pathSeparator)[0];
    String beside =
        Path.of(harness).toAbsolutePath().resolveSibling("../services/target").toString();
    Path target = Path.of(System.getProperty(DIRECTORY, beside)).normalize();
    Path server = target.resolve((isLoggedByServer() ? "dropwizard" : "tomcat") + ".classpath");
    if (!Files.isReadable(server)) {
      String remedy =
          "the services are not built: there is no file %s. To do: ./spillway-stress run --scenario"
              + " NAME, which builds them, or ./mvnw -pl stress/services -am package";
      throw new RefusedException(remedy.formatted(server));
    }
    Stream<String> jars = Stream.of(Files.readString(server).strip().split(File.pathSeparator));
    return Stream.concat(Stream.of(target.resolve("classes")), jars.map(Path::of)).toList();
  }
}
