package io.spillway.stress.load;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** Log4j 2; its configuration is loaded by the constructor. */
final class Log4j2System implements LoggingSystem {

  private static final int PROBLEMS_SHOWN = 20;

  private final Problems problems = new Problems();
  private final LoggerContext context;

  Log4j2System() {
    StatusLogger.getLogger().registerListener(problems);
    context = LogManager.getContext(false);
  }

  @Override
  public List<String> errors() {
    return problems.from(Level.ERROR);
  }

  @Override
  public List<String> problems() {
    return problems.from(Level.WARN);
  }

  @Override
  public Runnable rollover(LoadSpec.Target target) {
    return () -> {};
  }

  @Override
  public void stop() {
    LogManager.shutdown(context);
  }

  /** Keeps the status messages of Log4j 2. */
  private static final class Problems implements StatusListener {

    private final Queue<StatusData> all = new ConcurrentLinkedQueue<>();

    private List<String> from(Level level) {
      return all.stream()
          .filter(status -> status.getLevel().isMoreSpecificThan(level))
          .limit(PROBLEMS_SHOWN)
          .map(StatusData::getFormattedStatus)
          .toList();
    }

    @Override
    public void log(StatusData status) {
      all.add(status);
    }

    @Override
    public Level getStatusLevel() {
      return Level.WARN;
    }

    @Override
    public void close() {}
  }
}
