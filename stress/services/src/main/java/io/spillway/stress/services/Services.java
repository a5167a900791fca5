package io.spillway.stress.services;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Service;
import io.spillway.stress.load.ServiceLog;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Starts the services of this module by their kinds. */
public final class Services implements Service.Starter {

  /** Called by the {@link java.util.ServiceLoader}. */
  public Services() {}

  @Override
  public Service start(LoadSpec.Application application, ServiceLog log) throws Exception {
    Logger.getLogger("").setLevel(Level.WARNING); // of Tomcat
    Work work = new Work(application.work());
    int threads = application.threads();
    return switch (application.kind()) {
      case "price-api" -> TomcatServer.start(threads, new PriceApi(log, work), work);
      case "push" -> TomcatServer.start(threads, new PushFront(log, work), work);
      case "ingest" -> TomcatServer.start(threads, new Ingest(log, work), work);
      case "request-log" -> PingService.start(threads, log, work);
      default -> throw new IllegalArgumentException("no service is " + application.kind());
    };
  }
}
