package io.spillway.stress.load;

import io.spillway.stress.verify.LogLine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a service. Each call is measured, and each line carries its thread's number, its
 * sequence number and its checksum, as in any other trial. Safe for use by all threads.
 */
public final class ServiceLog {

  private final Logger logger;
  private final int messageBytes;
  private final int most;
  private final Caller.Clock clock;
  private final List<Caller> callers = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Caller> own = ThreadLocal.withInitial(this::enter);

  ServiceLog(LoadSpec spec, Caller.Clock clock) {
    logger = LoggerFactory.getLogger(spec.target().logger());
    messageBytes = spec.target().messageBytes();
    most = spec.threads();
    this.clock = clock;
  }

  private synchronized Caller enter() {
    if (callers.size() == most) {
      throw new IllegalStateException("more than " + most + " threads log");
    }
    Caller caller = new Caller(callers.size(), clock);
    callers.add(caller);
    return caller;
  }

  /** Logs the given number of lines, unless the log is off. */
  public void lines(int number) {
    for (int i = 0; i < number && logger.isInfoEnabled(); i++) {
      Caller caller = own.get();
      int thread = caller.number();
      caller.call(() -> LogLine.log(logger, thread, caller.sent(), messageBytes, false));
    }
  }

  /** Makes and measures one log call of other code, such as that of a server's request log. */
  public void call(Runnable logCall) {
    own.get().call(logCall);
  }

  List<Caller> callers() {
    return callers;
  }
}
