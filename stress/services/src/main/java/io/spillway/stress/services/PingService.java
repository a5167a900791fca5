package io.spillway.stress.services;

import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.setup.Environment;
import io.spillway.stress.load.Service;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * {@code GET /N} on Dropwizard: does almost nothing, so that the request log's share of the time is
 * as large as possible.
 */
final class PingService extends Application<Configuration> implements Service, LifeCycle.Listener {

  private static final Path LOGS = Path.of(System.getProperty("logs"));
  private static final int JETTY_THREADS = 20; // which answer no requests
  private static final String FILES =
      "currentLogFilename: %1$s/app.log, archivedLogFilenamePattern: %1$s/app.%%d.log.gz"
          .formatted(LOGS);

  private static final Map<String, String> APPENDERS =
      Map.of("none", "", "file", "{type: file, %s}", "spillway", "{type: spillway, %s}");

  private final CompletableFuture<Server> server = new CompletableFuture<>();
  private final Service.Log log;

  private PingService(Service.Log log) {
    this.log = log;
  }

  static Service start(int threads, Service.Log log, Work work) throws Exception {
    String kind = work.word("requestLog", List.of("none", "file", "spillway"));
    int queue = work.number("queueSize", 256);
    work.requireKnown();
    Path yaml = LOGS.resolveSibling("ping.yml");
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
            .formatted(
                threads + JETTY_THREADS,
                APPENDERS.get(kind).formatted(FILES + ", queueSize: " + queue)));
    PingService service = new PingService(log);
    service.run("server", yaml.toString());
    service.server.get();
    return service;
  }

  @Override
  public void run(Configuration configuration, Environment environment) {
    ((DefaultServerFactory) configuration.getServerFactory())
        .setRegisterDefaultExceptionMappers(false);
    environment.jersey().register(new Ping());
    environment.lifecycle().addEventListener(this);
    environment.lifecycle().addServerLifecycleListener(server::complete);
  }

  @Override
  public int port() {
    return ((ServerConnector) server.join().getConnectors()[0]).getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    server.join().stop();
  }

  /** Has each call of the server's request log measured, if there is one. */
  @Override
  public void lifeCycleStarting(LifeCycle event) {
    if (event instanceof Server starting && starting.getRequestLog() != null) {
      RequestLog own = starting.getRequestLog();
      starting.setRequestLog((request, response) -> log.call(() -> own.log(request, response)));
    }
  }

  /** The resource, which answers with a constant. */
  @jakarta.ws.rs.Path("/{number}")
  @Produces(MediaType.TEXT_PLAIN)
  public static final class Ping {

    @GET
    public String ping() {
      return "pong";
    }
  }
}
