package io.spillway.stress.service;

import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.fork.Driver;
import io.spillway.stress.load.Child;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends requests to the service in the forked JVM, from its start until it says that the load is
 * over, and records their response times. The child watches the files and says when the rotation
 * begins and ends.
 */
public final class HttpDriver implements Driver {

  private static final String INGEST = "ingest";
  private static final double SEARCH_STEP_SECONDS = 2;
  private static final long POLL_NANOS = 20_000_000;
  private static final double NANOS = 1e9;
  private static final double MILLION = 1e6;

  private final ServiceTrial trial;
  private final Path latencyFile;
  private final RotationWindow window = new RotationWindow();
  private final List<Double> latestMillis = new ArrayList<>();
  private final Map<String, Double> counters = new ConcurrentHashMap<>();
  private final CountDownLatch loadEnded = new CountDownLatch(1);
  private volatile Requests requests;
  private volatile Thread thread;
  private volatile Throwable failure;
  private volatile boolean closed;
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
        } else if (line.startsWith(Child.RESIDENT)) {
          counters.put("resident MB", Double.valueOf(line.substring(Child.RESIDENT.length())));
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
    thread = new Thread(() -> drive(target, latency, child), "http-driver");
    thread.setDaemon(true);
    requests.start();
    thread.start();
  }

  private void drive(Requests.Target target, LatencyRecorder latency, ChildProcess child) {
    try {
      record(latency);
      child.tell(); // every request has its answer
      if (trial.searchP99Millis() != null && !closed) {
        loadEnded.await();
        highestRate =
            new RateSearch(target, trial.searchP99Millis(), SEARCH_STEP_SECONDS)
                .highest(trial.rate());
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure = e;
      child.tell();
    } finally {
      child.tell();
    }
  }

  /** Records the response times of each second until the last request has been answered. */
  private void record(LatencyRecorder latency) throws IOException {
    long second = requests.startNanos();
    long latest = 0;
    try (latency) {
      for (boolean over = false; !over; LockSupport.parkNanos(POLL_NANOS)) {
        over = requests.isOver();
        long now = System.nanoTime();
        latest = Math.max(latest, requests.lateNanos(now));
        if (over || now - second >= NANOS) {
          second += (long) NANOS;
          latency.endOfSecond();
          latestMillis.add(latest / MILLION);
          latest = 0;
        }
      }
    }
  }

  @Override
  public LoadFigures completed(LoadFigures load) throws IOException {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new IOException("the requests failed: " + failure, failure);
    }
    int seconds = load.cpuBySecond().size();
    List<Double> latest =
        new ArrayList<>(latestMillis.subList(0, Math.min(seconds, latestMillis.size())));
    latest.addAll(Collections.nCopies(seconds - latest.size(), 0.0));
    return load.ofRequests(requests.due(), requests.answered(), latest, requests.failure());
  }

  @Override
  public TrialResult.ServiceFigures figures(LoadFigures load) {
    long measured = requests.measured();
    long warmUp = (long) load.warmUpSeconds();
    double cpuSeconds = load.cpuBySecond().stream().skip(warmUp).mapToDouble(d -> d).sum();
    return new TrialResult.ServiceFigures(
        measured / load.measuredSeconds(),
        requests.failed(),
        measured == 0 ? 0 : cpuSeconds * MILLION / measured,
        highestRate,
        counters);
  }

  @Override
  public void close() {
    closed = true;
    loadEnded.countDown();
    if (requests != null) {
      requests.abandon();
    }
    if (thread != null) {
      thread.interrupt();
    }
  }
}
