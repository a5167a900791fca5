package io.spillway.stress.services;

import ch.qos.logback.classic.LoggerContext;
import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.setup.Environment;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /N} on Dropwizard: does almost nothing, so that the request log's share of the time is
 * as large as possible.
 */
final class PingService extends Application<Configuration> implements Control.Running {

  private static final String LOGS = System.getProperty("logs");
  private static final String FILES =
      "currentLogFilename: %1$s/app.log, archivedLogFilenamePattern: %1$s/app.%%d.log.gz"
          .formatted(LOGS);

  private static final Map<String, String> APPENDERS =
      Map.of("none", "", "file", "{type: file, %s}", "spillway", "{type: spillway, %s}");

  private final CompletableFuture<Server> server = new CompletableFuture<>();
  private final boolean logged;

  private PingService(boolean logged) {
    this.logged = logged;
  }

  static PingService start(int threads, Work work) throws Exception {
    String kind = work.word("requestLog", List.of("none", "file", "spillway"));
    int queue = work.number("queueSize", 256);
    work.requireKnown();
    String settings = FILES + ", queueSize: " + queue;
    java.nio.file.Path yaml = java.nio.file.Path.of("ping.yml").toAbsolutePath();
    Files.writeString(
        yaml,
        """
        server:
          maxThreads: %d
          applicationConnectors: [{type: http, port: 0}]
          adminConnectors: [{type: http, port: 0}]
          requestLog: {appenders: [%s]}
        logging:
          level: WARN
          appenders: [{type: console, target: stderr}]
        """
            .formatted(threads + 20, APPENDERS.get(kind).formatted(settings)));
    PingService service = new PingService(!kind.equals("none"));
    service.run("server", yaml.toString());
    service.server.get();
    return service;
  }

  @Override
  public void run(Configuration configuration, Environment environment) {
    ((DefaultServerFactory) configuration.getServerFactory())
        .setRegisterDefaultExceptionMappers(false);
    environment.jersey().register(new Ping(logged));
    environment.lifecycle().addServerLifecycleListener(server::complete);
  }

  @Override
  public int port() {
    return ((ServerConnector) server.join().getConnectors()[0]).getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    server.join().stop();
    ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
  }

  /** The resource; counts its requests if each has a line in the request log. */
  @Path("/{number}")
  @Produces(MediaType.TEXT_PLAIN)
  public static final class Ping {

    private final boolean logged;

    /** Creates the resource; {@code logged} says whether there is a request log. */
    Ping(boolean logged) {
      this.logged = logged;
    }

    /** Answers with a constant. */
    @GET
    public String ping(@PathParam("number") String number) {
      if (logged) {
        EventLog.counted();
      }
      return "pong";
    }
  }
}
