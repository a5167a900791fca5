package io.spillway.rolling;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Logback's policies compress and delete at once here, so that a test knows when they are done. */
final class SynchronousContext extends LoggerContext {
  private final ExecutorService direct = new Direct();

  @Override
  public ExecutorService getExecutorService() {
    return direct;
  }

  @Override
  public ExecutorService getAlternateExecutorService() {
    return direct;
  }

  private static final class Direct extends AbstractExecutorService {
    private boolean shutdown;

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void shutdown() {
      shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      shutdown = true;
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return shutdown;
    }

    @Override
    public boolean isTerminated() {
      return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
