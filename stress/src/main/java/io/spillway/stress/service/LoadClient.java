package io.spillway.stress.service;

import io.spillway.stress.load.Child;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.DataFormatException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Main class of the client's JVM. In an open loop each request has a due time that does not depend
 * on earlier requests: the next free connection sends it, at once if it is late, and its response
 * time counts from when it was due. So a stall of the service neither reduces the load nor hides
 * the waits of callers. Requests that were due in the warm-up and not sent by its end are left out.
 */
public final class LoadClient {

  /** Printed when the measured time begins. */
  static final String MEASURING = "measuring";

  /**
   * Printed when the measured time ends; the harness then reads the service's figures before any
   * further load.
   */
  static final String MEASURED = "measured";

  /** Sent by the harness after that, to begin the search. */
  static final String SEARCH = "search";

  private static final double NANOS = 1e9;
  private static final int MICRO = 1_000;
  private static final int DIGITS = 3;
  private static final double FIRST_STEP = 1.5;
  private static final int STEPS = 12;
  private static final int REFINEMENTS = 2;
  private static final double P99 = 99;

  /**
   * Requests that were due and not sent this long after the end count as unmade, with their wait
   * until then as response time.
   */
  private static final double PATIENCE_SECONDS = 60;

  private final Spec spec;
  private final AtomicLong failed = new AtomicLong();
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final AtomicLong numbers = new AtomicLong();
  private final List<HttpConnection> open = new ArrayList<>();

  private LoadClient(Spec spec) {
    this.spec = spec;
  }

  /**
   * The load to send.
   *
   * @param port port of the service on this machine
   * @param client rate, connections and durations
   * @param figuresFile the file to which {@link Figures} are written
   */
  record Spec(int port, ServiceTrial.Client client, String figuresFile) {}

  /**
   * The client's figures.
   *
   * @param startEpochMillis when measuring began
   * @param seconds response times in microseconds, encoded, for each second in which they were due
   * @param answered requests answered within the measured time
   * @param unmade requests that were due, and never made
   * @param failed requests without an answer of 200
   * @param failure the first failure, or null
   * @param highestRate the highest rate at which response times were within the limit, or null if
   *     there was none or no search
   */
  record Figures(
      long startEpochMillis,
      List<String> seconds,
      long answered,
      long unmade,
      long failed,
      String failure,
      Double highestRate) {

    /** Returns the response times of requests due in seconds {@code [from, to)}. */
    Histogram histogram(int from, int to) throws DataFormatException {
      Histogram sum = new Histogram(DIGITS);
      for (int i = Math.max(0, from); i < Math.min(to, seconds.size()); i++) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(seconds.get(i)));
        sum.add(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
      }
      return sum;
    }
  }

  /** Runs the client; its argument is the path of a {@link Spec} in JSON. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    CountDownLatch told = new CountDownLatch(1);
    Child.endWithParent(told::countDown);
    Spec spec = Json.read(Path.of(arguments[0]), Spec.class);
    Json.write(Path.of(spec.figuresFile), run(spec, told));
    System.exit(0);
  }

  /**
   * Sends the load and returns its figures.
   *
   * @param told awaited before a search
   */
  static Figures run(Spec spec, CountDownLatch told) throws IOException, InterruptedException {
    return new LoadClient(spec).run(told);
  }

  private Figures run(CountDownLatch told) throws IOException, InterruptedException {
    for (int i = 0; i < spec.client.connections(); i++) {
      open.add(new HttpConnection(spec.port));
    }
    ServiceTrial.Client client = spec.client;
    Phase main = new Phase(client.rate(), client.warmUpSeconds(), client.seconds());
    main.begin();
    main.awaitTime(main.measureNanos);
    long startEpochMillis = System.currentTimeMillis();
    System.out.println(MEASURING);
    main.awaitTime(main.endNanos);
    System.out.println(MEASURED);
    main.join();
    Double highest = null;
    if (client.search() != null) {
      told.await();
      highest = search(client.search());
    }
    return new Figures(
        startEpochMillis,
        Arrays.stream(main.seconds).map(LoadClient::encoded).toList(),
        main.answered.get(),
        main.unmade.get(),
        failed.get(),
        failure.get(),
        highest);
  }

  /**
   * Searches the highest rate: raises it in steps until one exceeds the limit twice, then bisects
   * between that step and the previous one. A single failure may be a stall of the machine, and
   * would hide all higher rates.
   */
  private Double search(ServiceTrial.Search search) throws InterruptedException {
    double within = 0;
    double beyond = 0;
    double rate = search.fromRate();
    for (int i = 0; i < STEPS && beyond == 0; i++) {
      if (isWithin(search, rate) || isWithin(search, rate)) {
        within = rate;
        rate *= FIRST_STEP;
      } else {
        beyond = rate;
      }
    }
    for (int i = 0; i < REFINEMENTS && within > 0 && beyond > 0; i++) {
      rate = Math.sqrt(within * beyond);
      if (isWithin(search, rate)) {
        within = rate;
      } else {
        beyond = rate;
      }
    }
    return within == 0 ? null : within;
  }

  private boolean isWithin(ServiceTrial.Search search, double rate) throws InterruptedException {
    Phase phase = new Phase(rate, search.stepSeconds() / 4, search.stepSeconds());
    phase.begin();
    phase.join();
    Histogram all = new Histogram(DIGITS);
    Arrays.stream(phase.seconds).forEach(all::add);
    return phase.unmade.get() == 0 && all.getValueAtPercentile(P99) <= search.p99Millis() * MICRO;
  }

  private static String encoded(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /** Load at one rate, or at full speed if the rate is 0, over all connections. */
  private final class Phase {

    private final double rate;
    private final long startNanos = System.nanoTime();
    private final long measureNanos;
    private final long endNanos;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong unmade = new AtomicLong();
    private final Histogram[] seconds;
    private final List<Thread> threads = new ArrayList<>();

    Phase(double rate, double warmUpSeconds, double measuredSeconds) {
      this.rate = rate;
      measureNanos = startNanos + (long) (warmUpSeconds * NANOS);
      endNanos = measureNanos + (long) (measuredSeconds * NANOS);
      seconds = new Histogram[(int) Math.ceil(measuredSeconds)];
      Arrays.setAll(seconds, i -> new ConcurrentHistogram(DIGITS));
    }

    void begin() {
      for (int i = 0; i < open.size(); i++) {
        int connection = i;
        Thread thread = new Thread(() -> ask(connection), "client-" + i);
        threads.add(thread);
        thread.start();
      }
    }

    void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
    }

    void awaitTime(long nanos) {
      for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }

    private void ask(int connection) {
      while (true) {
        long due =
            rate == 0
                ? System.nanoTime()
                : startNanos + (long) (next.getAndIncrement() / rate * NANOS);
        if (due >= endNanos) {
          return;
        }
        awaitTime(due);
        if (due < measureNanos && System.nanoTime() >= measureNanos) {
          continue; // else the measured time would begin behind a queue left by the warm-up
        }
        if (System.nanoTime() - endNanos > PATIENCE_SECONDS * NANOS) {
          unmade.incrementAndGet();
          record(due, System.nanoTime());
          continue;
        }
        if (asked(connection)) {
          long now = System.nanoTime();
          record(due, now);
          if (now >= measureNanos && now < endNanos) {
            answered.incrementAndGet();
          }
        }
      }
    }

    private boolean asked(int connection) {
      try {
        open.get(connection).ask(numbers.getAndIncrement(), spec.client.post());
        return true;
      } catch (IOException e) {
        failed.incrementAndGet();
        failure.compareAndSet(null, e.toString());
        return reopened(connection);
      }
    }

    /** Reopens a connection, with a pause if that fails; returns false, as there was no answer. */
    private boolean reopened(int connection) {
      try {
        open.get(connection).close();
        synchronized (open) {
          open.set(connection, new HttpConnection(spec.port));
        }
      } catch (IOException e) {
        LockSupport.parkNanos(MICRO * MICRO * 100L);
      }
      return false;
    }

    private void record(long due, long now) {
      long since = due - measureNanos;
      if (since >= 0) {
        int second = Math.min(seconds.length - 1, (int) (since / NANOS));
        seconds[second].recordValue(Math.max(0, now - due) / MICRO);
      }
    }
  }
}
