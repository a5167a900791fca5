package io.spillway.stress.services;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Main class of an application's JVM, which runs one service. */
public final class Service {

  /** A strong reference: the level of a java.util.logging logger is lost with the logger. */
  private static final Logger ROOT = Logger.getLogger("");

  private Service() {}

  /** Runs a service; the arguments are {@code KIND THREADS [NAME=VALUE ...]}. */
  public static void main(String[] arguments) throws Exception {
    Control control = Control.open();
    ROOT.setLevel(Level.WARNING);
    try {
      List<String> all = List.of(arguments);
      Work work = Work.of(all.subList(2, all.size()));
      control.serve(start(all.get(0), Integer.parseInt(all.get(1)), work));
    } catch (IllegalArgumentException e) {
      control.refuse(e.getMessage());
      System.exit(1);
    }
    System.exit(0);
  }

  private static Control.Running start(String kind, int threads, Work work) throws Exception {
    return switch (kind) {
      case "price-api" -> TomcatServer.start(threads, new PriceApi(work), work);
      case "push" -> TomcatServer.start(threads, new PushFront(threads, work), work);
      case "ingest" -> TomcatServer.start(threads, new Ingest(work), work);
      case "request-log" -> PingService.start(threads, work);
      default ->
          throw new IllegalArgumentException(
              "there is no kind '" + kind + "'; allowed: price-api, push, ingest, request-log");
    };
  }
}
