package io.spillway.stress.service;

import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.Child;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends requests to the service in the forked JVM, from its start until it says that the load is
 * over, and records their response times. The child watches the files and says when the rotation
 * begins and ends.
 */
public final class HttpDriver implements ChildProcess.Driver {

  private static final String INGEST = "ingest";
  private static final double SEARCH_STEP_SECONDS = 2;
  private static final long POLL_NANOS = 20_000_000;
  private static final double NANOS = 1e9;
  private static final double MILLION = 1e6;

  private final ServiceTrial trial;
  private final Path latencyFile;
  private final RotationWindow window = new RotationWindow();
  private final CountDownLatch loadEnded = new CountDownLatch(1);
  private volatile Requests requests;
  private volatile FutureTask<Double> search; // for the highest rate, after all requests
  private volatile Thread thread;
  private Double highestRate;

  /** Creates a driver that records response times in a file. */
  public HttpDriver(ServiceTrial trial, Path latencyFile) {
    this.trial = trial;
    this.latencyFile = latencyFile;
  }

  @Override
  public void heard(String line, ChildProcess child) throws IOException {
    long now = System.nanoTime();
    switch (line) {
      case Child.ROTATION_BEGAN -> window.begin(now);
      case Child.ROTATION_ENDED -> window.end(now);
      case Child.REQUESTS_END -> requests.stop(now);
      case Child.LOAD_ENDED -> loadEnded.countDown();
      default -> {
        if (line.startsWith(Child.PORT)) {
          begin(Integer.parseInt(line.substring(Child.PORT.length())), child);
        }
      }
    }
  }

  private void begin(int port, ChildProcess child) throws IOException {
    boolean post = trial.application().kind().equals(INGEST);
    Requests.Target target = new Requests.Target(port, trial.connections(), post);
    long warmUpEnd = System.nanoTime() + (long) (trial.warmUpSeconds() * NANOS);
    LatencyRecorder latency = new LatencyRecorder(latencyFile, warmUpEnd, window);
    requests = new Requests(target, trial.rate(), trial.warmUpSeconds(), latency::response);
    search = new FutureTask<>(() -> drive(target, latency, child));
    thread = new Thread(search, "http-driver");
    thread.setDaemon(true);
    requests.start();
    thread.start();
  }

  private Double drive(Requests.Target target, LatencyRecorder latency, ChildProcess child)
      throws IOException, InterruptedException {
    try {
      record(latency, child);
      if (trial.searchP99Millis() == null) {
        return null;
      }
      loadEnded.await();
      return new RateSearch(target, trial.searchP99Millis(), SEARCH_STEP_SECONDS)
          .highest(trial.rate());
    } finally {
      child.goOn(); // the service may stop
    }
  }

  /** Records the response times of each second until the last request has been answered. */
  private void record(LatencyRecorder latency, ChildProcess child) throws IOException {
    long second = requests.startNanos;
    try (latency) {
      for (boolean over = false; !over; LockSupport.parkNanos(POLL_NANOS)) {
        over = requests.isOver();
        long now = System.nanoTime();
        if (over || now - second >= NANOS) {
          second += (long) NANOS;
          latency.endOfSecond();
        }
      }
    } finally {
      child.goOn(); // every request has its answer
    }
  }

  @Override
  public LoadFigures completed(LoadFigures load) throws IOException {
    try {
      highestRate = search.get();
    } catch (ExecutionException e) {
      throw new IOException("the requests failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the end of the requests was not awaited", e);
    }
    return load.ofRequests(requests.due.sum(), requests.answered.sum(), requests.failure.get());
  }

  @Override
  public TrialResult.ServiceFigures figures(LoadFigures load) {
    long measured = requests.measured.sum();
    long warmUp = (long) load.warmUpSeconds();
    double cpuSeconds = load.cpuBySecond().stream().skip(warmUp).mapToDouble(d -> d).sum();
    return new TrialResult.ServiceFigures(
        measured / load.measuredSeconds(),
        requests.failed.sum(),
        measured == 0 ? 0 : cpuSeconds * MILLION / measured,
        highestRate);
  }

  @Override
  public String applicationThreads() {
    return trial.threadPrefix();
  }

  @Override
  public void close() {
    if (thread != null) {
      requests.abandon();
      thread.interrupt();
    }
  }

  /**
   * Searches the highest rate of requests at which 99 % of the responses come within a limit.
   *
   * @param p99Millis the limit
   * @param stepSeconds how long each rate is tried, after a quarter of that as warm-up
   */
  record RateSearch(Requests.Target target, double p99Millis, double stepSeconds) {

    private static final double FIRST_STEP = 1.5;
    private static final int STEPS = 12;
    private static final int REFINEMENTS = 2;
    private static final double WARM_UP = 0.25;
    private static final double P99 = 99;

    /**
     * Raises the rate in steps until one exceeds the limit twice, then bisects between that step
     * and the one before. A single failure may be a stall of the machine, and would hide all higher
     * rates.
     *
     * @return the rate, or null if even the first one was too high
     */
    Double highest(double fromRate) throws InterruptedException {
      double within = 0;
      double beyond = 0;
      double rate = fromRate;
      for (int i = 0; i < STEPS && beyond == 0; i++) {
        if (isWithin(rate) || isWithin(rate)) {
          within = rate;
          rate *= FIRST_STEP;
        } else {
          beyond = rate;
        }
      }
      for (int i = 0; i < REFINEMENTS && within > 0 && beyond > 0; i++) {
        rate = Math.sqrt(within * beyond);
        if (isWithin(rate)) {
          within = rate;
        } else {
          beyond = rate;
        }
      }
      return within == 0 ? null : within;
    }

    private boolean isWithin(double rate) throws InterruptedException {
      Histogram times = new ConcurrentHistogram(2);
      double warmUpSeconds = WARM_UP * stepSeconds;
      long measured = System.nanoTime() + (long) (warmUpSeconds * NANOS);
      Requests.Times sum =
          (due, end) -> {
            if (due >= measured) {
              times.recordValue(Math.max(0, end - due));
            }
          };
      Requests requests = new Requests(target, rate, warmUpSeconds, sum);
      requests.start();
      requests.stop(measured + (long) (stepSeconds * NANOS));
      while (!requests.isOver()) {
        if (Thread.interrupted()) {
          requests.abandon();
          throw new InterruptedException();
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
      return requests.answered.sum() == requests.due.sum()
          && times.getValueAtPercentile(P99) <= p99Millis * MILLION;
    }
  }
}
