package io.spillway.examples.access;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Clients that send at the same time. */
final class Clients implements AutoCloseable {
  private final List<Client> clients;
  private final ExecutorService threads;

  Clients(int count, int serverPort) {
    clients = IntStream.range(0, count).mapToObj(i -> new Client(i, serverPort)).toList();
    threads = Executors.newFixedThreadPool(count);
  }

  /** Returns when every client has had its answers; fails if one was not as expected. */
  void send(int requestsEach, int padding) throws Exception {
    List<Callable<Void>> tasks =
        clients.stream()
            .map(
                client ->
                    (Callable<Void>)
                        () -> {
                          client.send(requestsEach, padding);
                          return null;
                        })
            .toList();
    for (Future<Void> answered : threads.invokeAll(tasks, 120, TimeUnit.SECONDS)) {
      answered.get();
    }
  }

  /** What each of them sent, in order. */
  List<List<Exchange>> exchanges() {
    return clients.stream().map(Client::exchanges).toList();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
