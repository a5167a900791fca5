package io.spillway.dropwizard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Connections to a server that are never idle, from its construction until it is stopped. */
final class PingLoad {
  private final ExecutorService threads;
  private final List<Future<?>> clients = new ArrayList<>();
  private final LongAdder answered = new LongAdder();
  private volatile boolean stopped;

  PingLoad(int port, int connections) {
    threads = Executors.newFixedThreadPool(connections);
    for (int i = 0; i < connections; i++) {
      clients.add(threads.submit(() -> ping(port)));
    }
    threads.shutdown();
  }

  private Void ping(int port) throws Exception {
    try (PingClient client = new PingClient(port)) {
      while (!stopped) {
        client.ping();
        answered.increment();
      }
    }
    return null;
  }

  /** Requests answered so far. */
  long answered() {
    return answered.sum();
  }

  /**
   * Ends it, and returns the requests answered.
   *
   * @throws ExecutionException if a connection did not get its answers
   */
  long stop() throws ExecutionException, InterruptedException {
    stopped = true;
    for (Future<?> client : clients) {
      client.get();
    }
    return answered();
  }
}
