package io.spillway.stress.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/**
 * A service that gets its requests from the parent process. The parent learns the port and the end
 * of the load from lines, and answers the latter when the last request has been answered; until it
 * says so once more the service is left running.
 */
final class ServiceLoad implements Load {

  private static final long WAIT_MILLIS = 5;
  private static final Path STATUS = Path.of("/proc/self/status"); // of Linux
  private static final String MOST_RESIDENT = "VmHWM:";
  private static final long KILO = 1024;

  private final ServiceLog log;
  private final Service service;

  /** Starts the service. */
  ServiceLoad(LoadSpec spec, Caller.Clock clock) throws IOException {
    log = new ServiceLog(spec, clock);
    Service.Starter starter =
        ServiceLoader.load(Service.Starter.class)
            .findFirst()
            .orElseThrow(() -> new IOException("no service is on the class path"));
    try {
      service = starter.start(spec.application(), log);
    } catch (Exception e) {
      throw new IOException("the service does not start: " + e.getMessage(), e);
    }
  }

  @Override
  public void start() {
    Child.say(Child.PORT + service.port());
  }

  @Override
  public List<Caller> callers() {
    return log.callers();
  }

  @Override
  public void end(long stopNanos) {
    Child.say(Child.REQUESTS_END);
  }

  @Override
  public boolean awaitLastCall() throws InterruptedException {
    return Child.awaitParent(WAIT_MILLIS);
  }

  /** Returns 0: how late requests are is known to the parent. */
  @Override
  public long lateNanos(long now) {
    return 0;
  }

  /** Returns 0: what is not made are requests, which the parent counts. */
  @Override
  public long unmade() {
    return 0;
  }

  @Override
  public void endOfSecond() {}

  @Override
  public void close() throws IOException {
    try {
      Child.awaitParent(Long.MAX_VALUE);
      tellResidentMemory();
      service.stop();
    } catch (Exception e) {
      throw new IOException("the service does not stop: " + e, e);
    }
  }

  private static void tellResidentMemory() throws IOException {
    if (Files.isReadable(STATUS)) {
      Files.readAllLines(STATUS).stream()
          .filter(line -> line.startsWith(MOST_RESIDENT))
          .map(line -> line.replaceAll("\\D", ""))
          .forEach(kilobytes -> Child.say(Child.RESIDENT + Long.parseLong(kilobytes) / KILO));
    }
  }
}
