package io.spillway.rolling;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Logback's policies compress and delete at once here, so that a test knows when they are done. */
final class SynchronousContext extends LoggerContext {
  private final ExecutorService direct = new Direct();
  private boolean killed;

  /** What is not compressed by now never is, and nobody waits for it: as in a killed process. */
  void kill() {
    killed = true;
  }

  @Override
  public ExecutorService getExecutorService() {
    return direct;
  }

  @Override
  public ExecutorService getAlternateExecutorService() {
    return direct;
  }

  private final class Direct extends AbstractExecutorService {
    private boolean shutdown;

    @Override
    public void execute(Runnable task) {
      if (!killed) {
        task.run();
      } else if (task instanceof Future<?> awaited) {
        awaited.cancel(false);
      }
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
