package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Owners;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which this JVM still owns a log file, names or a spill directory: an
 * appender was not stopped, or has not given back what it had. Registered for all of them.
 */
public final class NothingLeft implements BeforeAllCallback, AfterAllCallback {
  private static final long PATIENCE_NANOS = 10_000_000_000L; // a stop may end behind a test

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(NothingLeft.class);

  @Override
  public void beforeAll(ExtensionContext context) {
    context.getStore(STORE).put(context.getUniqueId(), owned());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    List<?> before = context.getStore(STORE).get(context.getUniqueId(), List.class);
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!before.containsAll(owned()) && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    List<Owners.Owned> left = owned();
    left.removeAll(before);
    assertThat(left).as("what this test class has left behind").isEmpty();
  }

  private static List<Owners.Owned> owned() {
    return Owners.all(Owners.Owned.class);
  }
}
