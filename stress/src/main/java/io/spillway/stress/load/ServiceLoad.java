package io.spillway.stress.load;

import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A service that gets its requests from the parent process. Each line of its log carries its
 * thread's number, its sequence number and its checksum, as in any other trial.
 *
 * <pre>
 *   this JVM          parent (HttpDriver)
 *   port N       --&gt;  requests begin
 *   requests end --&gt;  no further request becomes due; the last one is answered
 *                &lt;--  goOn
 *   load ended   --&gt;  search for the highest rate, if any
 *                &lt;--  goOn: the service stops
 * </pre>
 */
final class ServiceLoad extends Load implements Service.Log {

  private final List<Caller> callers = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Caller> own = ThreadLocal.withInitial(this::enter);
  private final Service service;

  /** Starts the service. */
  ServiceLoad(LoadSpec spec) throws IOException {
    super(spec);
    Service.Starter starter =
        ServiceLoader.load(Service.Starter.class)
            .findFirst()
            .orElseThrow(() -> new IOException("no service is on the class path"));
    try {
      service = starter.start(spec.application(), this);
    } catch (Exception e) {
      throw new IOException("the service does not start: " + e.getMessage(), e);
    }
  }

  private synchronized Caller enter() {
    Caller caller = new Caller(WARM_UP_THREAD + 1 + callers.size(), this);
    callers.add(caller);
    return caller;
  }

  @Override
  public void lines(int number) {
    for (int i = 0; i < number && logger.isInfoEnabled(); i++) {
      Caller caller = own.get();
      int bytes = spec.target().messageBytes();
      caller.call(() -> LogLine.log(logger, caller.number, caller.sent, bytes, false));
    }
  }

  @Override
  public void call(Runnable logCall) {
    own.get().call(logCall);
  }

  @Override
  void start() {
    Child.say(Child.PORT + service.port());
  }

  @Override
  List<? extends Caller> callers() {
    return callers;
  }

  @Override
  void stop(long nanos) {
    Child.say(Child.REQUESTS_END);
  }

  @Override
  boolean awaitLastCall() throws InterruptedException {
    return Child.awaitParent(WAIT_MILLIS);
  }

  @Override
  public void close() throws IOException {
    try {
      Child.awaitParent(Long.MAX_VALUE);
      service.stop();
    } catch (Exception e) {
      throw new IOException("the service does not stop: " + e, e);
    }
  }
}
