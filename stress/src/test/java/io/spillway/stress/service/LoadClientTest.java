package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Tag("alone")
@Tag("slow")
@Tag("gate")
@Execution(ExecutionMode.CONCURRENT) // each waits most of the time
class LoadClientTest {

  private static final int CONNECTIONS = 4;
  private static final double RATE = 200;
  private static final int SECONDS = 4; // of which it stalls for the middle half
  private static final long STALL_MILLIS = 2_000;
  private static final CountDownLatch AT_ONCE = new CountDownLatch(0);

  static {
    // Else each answer waits 40 ms for the acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final AtomicLong asked = new AtomicLong();
  private final AtomicBoolean stalling = new AtomicBoolean();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean stalls;
  private volatile int status = 200;
  private volatile long stallEndNanos;
  private volatile long serviceMillis;
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          synchronized (stalling) { // none slips by while the first one begins to stall
            if (asked.incrementAndGet() > RATE * 2
                && stalls
                && stalling.compareAndSet(false, true)) {
              stallEndNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS);
            }
          }
          sleepUntil(stallEndNanos);
          sleepUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(serviceMillis));
          exchange.sendResponseHeaders(status, 2);
          exchange.getResponseBody().write(new byte[] {'o', 'k'});
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** With four connections, a client that measured from when it asked would see four of them. */
  @Test
  void shouldCountFromWhenARequestWasDue() throws Exception {
    stalls = true;
    LoadClient.Figures figures = LoadClient.run(spec(RATE, SECONDS), AT_ONCE);

    Histogram all = figures.histogram(0, SECONDS);
    assertThat(all.getTotalCount()).isEqualTo((long) (RATE * SECONDS));
    assertThat(figures.unmade()).isZero();
    long late = all.getTotalCount() - all.getCountBetweenValues(0, STALL_MILLIS * 1000 / 2);
    assertThat(late)
        .as("due in the first half of the stall")
        .isGreaterThanOrEqualTo((long) (RATE * STALL_MILLIS / 1000 / 2) - CONNECTIONS);
    assertThat(figures.histogram(0, 1).getTotalCount()).isEqualTo((long) RATE);
  }

  /** A service that is slow while it is compiled would else be measured behind its own backlog. */
  @Test
  void shouldLeaveOutWhatTheWarmUpHasNotAsked() throws Exception {
    long before = (long) (RATE * 2);
    asked.set(before);
    stalls = true; // from the first request until a second after the warm-up
    LoadClient.Figures figures = LoadClient.run(spec(RATE, SECONDS / 2), AT_ONCE);

    long measured = figures.histogram(0, SECONDS / 2).getTotalCount();
    assertThat(measured).isEqualTo((long) (RATE * SECONDS / 2));
    assertThat(asked.get() - before).as("asked").isBetween(measured, measured + CONNECTIONS);
  }

  @Test
  void shouldAskAgainAsSoonAsItIsAnsweredInAClosedLoop() throws Exception {
    LoadClient.Figures figures = LoadClient.run(spec(0, 1), AT_ONCE);

    long counted = figures.histogram(0, 1).getTotalCount();
    assertThat(figures.answered()).isGreaterThan(CONNECTIONS).isLessThanOrEqualTo(asked.get());
    assertThat(counted)
        .isBetween(figures.answered() - CONNECTIONS, figures.answered() + CONNECTIONS);
    assertThat(figures.failed()).isZero();
  }

  @Test
  void shouldTellOfRequestsThatFail() throws Exception {
    status = 503;
    LoadClient.Figures figures = LoadClient.run(spec(RATE, 1), AT_ONCE);

    assertThat(figures.failed()).isGreaterThanOrEqualTo((long) RATE);
    assertThat(figures.failure()).contains("503");
    assertThat(figures.answered()).isZero();
  }

  /** The stall comes with the first rate of the search. */
  @Test
  void shouldNotEndASearchBecauseOfOneStall() throws Exception {
    double rate = 50;
    serviceMillis = 40;
    asked.set((long) (2 * RATE - 2 * rate));
    stalls = true;
    LoadClient.Figures figures =
        LoadClient.run(
            spec(rate, 1, new ServiceTrial.Search(STALL_MILLIS / 4.0, rate, 0.5)), AT_ONCE);

    assertThat(stalling).isTrue();
    assertThat(figures.highestRate()).isGreaterThanOrEqualTo(rate);
  }

  /** What the service took until then is that of the load before, and is asked meanwhile. */
  @Test
  void shouldNotSearchBeforeItIsTold() throws Exception {
    AtomicLong before = new AtomicLong();
    CountDownLatch told =
        new CountDownLatch(0) {
          @Override
          public void await() {
            before.set(asked.get());
          }
        };
    LoadClient.run(spec(RATE, 1, new ServiceTrial.Search(0, RATE, 0.5)), told);

    assertThat(before.get())
        .as("in a second of warm-up and one of load")
        .isBetween(1L, (long) (RATE * 2));
    assertThat(asked.get()).as("with the search").isGreaterThan(before.get());
  }

  private LoadClient.Spec spec(double rate, int seconds) {
    return spec(rate, seconds, null);
  }

  private LoadClient.Spec spec(double rate, int seconds, ServiceTrial.Search search) {
    return new LoadClient.Spec(
        server.getAddress().getPort(),
        new ServiceTrial.Client(rate, CONNECTIONS, true, 1, seconds, search),
        null);
  }

  private static void sleepUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.sleep(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
