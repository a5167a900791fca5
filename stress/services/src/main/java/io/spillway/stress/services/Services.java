package io.spillway.stress.services;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Service;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Starts the services of this module by their kinds. */
public final class Services implements Service.Starter {

  /** Called by the {@link java.util.ServiceLoader}. */
  public Services() {}

  @Override
  public Service start(LoadSpec.Application application, Service.Log log) throws Exception {
    Logger.getLogger("").setLevel(Level.WARNING); // of Tomcat
    Work work = new Work(application.work());
    int threads = application.threads();
    if (application.kind().equals("request-log")) {
      return PingService.start(threads, log, work);
    }
    TomcatService service =
        switch (application.kind()) {
          case "price-api" -> new PriceApi(log, work);
          case "push" -> new PushFront(log, work);
          case "ingest" -> new Ingest(log, work);
          default -> throw new IllegalArgumentException("no service is " + application.kind());
        };
    work.requireKnown();
    return service.start(threads);
  }
}
