package io.spillway.stress.load;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** What makes the log calls of a trial: threads that only log, or a service that gets requests. */
interface Load extends Closeable {

  /** Begins to make calls. */
  void start();

  /** Returns the threads that have made calls so far. */
  List<? extends Caller> callers();

  /** Announces the end: only calls that were due before this time are still made. */
  void end(long stopNanos);

  /** Waits a few milliseconds for the last call; returns whether it has been made. */
  boolean awaitLastCall() throws InterruptedException;

  /** Returns how late the latest pending call is, in nanoseconds; 0 or less if none is. */
  long lateNanos(long now);

  /** Returns the number of calls that were due and not made. */
  long unmade();

  /** Called at the end of each second. */
  void endOfSecond();

  /** Ends everything, after the last figure has been taken. */
  @Override
  void close() throws IOException;
}
