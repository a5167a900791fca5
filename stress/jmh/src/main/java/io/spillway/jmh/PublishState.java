package io.spillway.jmh;

import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The appender that all threads of a trial share; a new one for each trial. */
@State(Scope.Benchmark)
public class PublishState {
  /** The kind of appender. */
  @Param public AppenderKind appender;

  private final List<Caller> callers = new CopyOnWriteArrayList<>();
  private Subject subject;
  private Logger logger;

  /** Called by JMH. */
  public PublishState() {}

  /** Starts the appender in a new context and directory. */
  @Setup(Level.Trial)
  public void start() throws IOException {
    subject = new Subject(appender);
    logger = subject.logger();
  }

  /** Stops the appender; fails if it lost events and may not drop. */
  @TearDown(Level.Trial)
  public void stop() throws IOException, InterruptedException {
    settle();
    subject.close();
  }

  Logger logger() {
    return logger;
  }

  void add(Caller caller) {
    callers.add(caller);
  }

  /**
   * Waits until the appender is idle. Call it between iterations only, when JMH's barrier has made
   * the callers' counts visible. The first calling thread gets the figures, the others get zeros.
   */
  synchronized Subject.Settlement settle() throws InterruptedException {
    return subject.settle(callers.stream().mapToLong(Caller::calls).sum());
  }
}
