package io.spillway.examples.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * Clients that send numbered requests, each client one after the other: {@code 3-17} is request 17
 * of client 3. Records which requests were answered, to compare them with a log.
 */
public final class HttpLoad implements AutoCloseable {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Function<String, HttpRequest> requests;
  private final int[] sent; // by client; one thread at a time uses an entry
  private final ExecutorService threads;
  private final Set<String> answered = ConcurrentHashMap.newKeySet();
  private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

  /**
   * Creates clients.
   *
   * @param clients number of clients
   * @param requests creates the request for an ID
   */
  public HttpLoad(int clients, Function<String, HttpRequest> requests) {
    this.requests = requests;
    sent = new int[clients];
    threads = Executors.newFixedThreadPool(clients);
  }

  /** Lets each client send the given number of requests; all must be answered with 200. */
  public void send(int each) throws Exception {
    await(start(i -> i < each, false));
  }

  /** Lets each client send until the server refuses; {@link #await} waits for the end. */
  public List<Future<?>> sendUntilRefused() {
    return start(i -> true, true);
  }

  private List<Future<?>> start(IntPredicate goesOn, boolean mayBeRefused) {
    List<Future<?>> running = new ArrayList<>();
    for (int client = 0; client < sent.length; client++) {
      int own = client;
      running.add(
          threads.submit(
              () -> {
                boolean accepted = true;
                for (int i = 0; accepted && goesOn.test(i); i++) {
                  accepted = send(own + "-" + sent[own]++, mayBeRefused);
                }
                return null;
              }));
    }
    return running;
  }

  private boolean send(String id, boolean mayBeRefused) throws Exception {
    try {
      int status = http.send(requests.apply(id), BodyHandlers.discarding()).statusCode();
      if (status == 200) {
        answered.add(id);
      } else {
        assertThat(mayBeRefused).as("refused with " + status).isTrue();
        unanswered.add(id);
      }
      return status == 200;
    } catch (IOException e) {
      unanswered.add(id);
      if (mayBeRefused) {
        return false;
      }
      throw e;
    }
  }

  /** Waits for clients, and rethrows their exceptions. */
  public static void await(List<Future<?>> clients) throws Exception {
    for (Future<?> client : clients) {
      try {
        client.get(ForkedApp.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError("a client got no answer in time", e);
      }
    }
  }

  /** Returns the number of requests answered so far. */
  public int answered() {
    return answered.size();
  }

  /**
   * Asserts that a log contains each answered request once, each unanswered one at most once, and
   * nothing else.
   *
   * @param logged the IDs in the log
   */
  public void assertEachLoggedOnce(List<String> logged) {
    Set<String> once = new HashSet<>(logged);
    assertThat(once).as("different IDs in the log").hasSameSizeAs(logged);
    Set<String> missing = new HashSet<>(answered);
    missing.removeAll(once);
    assertThat(missing).as("answered, not logged").isEmpty();
    once.removeAll(answered);
    once.removeAll(unanswered);
    assertThat(once).as("logged, never sent").isEmpty();
  }

  /** Asserts that each client's requests are in the log in the order in which it sent them. */
  public static void assertInOrder(List<String> logged) {
    Map<String, Integer> last = new HashMap<>();
    for (String id : logged) {
      int dash = id.indexOf('-');
      int number = Integer.parseInt(id.substring(dash + 1));
      Integer before = last.put(id.substring(0, dash), number);
      assertThat(before == null || before < number).as(id + " comes after " + before).isTrue();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
