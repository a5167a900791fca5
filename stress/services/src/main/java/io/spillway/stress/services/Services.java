package io.spillway.stress.services;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Service;
import io.spillway.stress.load.ServiceLog;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Starts the services of this module by their kinds. */
public final class Services implements Service.Starter {

  /** A strong reference: the level of a java.util.logging logger is lost with the logger. */
  private static final Logger ROOT = Logger.getLogger("");

  /** Called by the {@link java.util.ServiceLoader}. */
  public Services() {}

  @Override
  public Service start(LoadSpec.Application application, ServiceLog log) throws Exception {
    ROOT.setLevel(Level.WARNING);
    Work work = new Work(application.work());
    int threads = application.threads();
    return switch (application.kind()) {
      case "price-api" -> TomcatServer.start(threads, new PriceApi(log, work), work);
      case "push" -> TomcatServer.start(threads, new PushFront(log, work), work);
      case "ingest" -> TomcatServer.start(threads, new Ingest(log, work), work);
      case "request-log" -> PingService.start(threads, log, work);
      default ->
          throw new IllegalArgumentException(
              "there is no kind '"
                  + application.kind()
                  + "'; allowed: price-api, push, ingest, request-log");
    };
  }
}
