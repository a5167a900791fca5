package io.spillway.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class behind which a thread of Spillway lives on, a file of its temporary
 * directories is open, or what the whole JVM shares is not as it was: system properties, defaults,
 * standard streams. The next class runs in the same JVM, unless this one is tagged "own" or
 * "alone". It applies to every class.
 */
public final class NothingLeft implements BeforeAllCallback, AfterAllCallback {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final Set<String> JVM_OF_ITS_OWN = Set.of("own", "alone");
  private static final String BEFORE = "before";
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final String TEMPORARY = "/junit-"; // below either directory of such

  /** What a class before has left is that one's failure. */
  @Override
  public void beforeAll(ExtensionContext context) {
    store(context).put(BEFORE, Set.copyOf(left(context).values()));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Set<?> before = (Set<?>) store(context).get(BEFORE);
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    Map<String, Object> left = left(context);
    while (!before.containsAll(left.values()) && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(5_000_000); // what was stopped ends soon
      left = left(context);
    }
    left.values().removeAll(before);
    if (!left.isEmpty()) {
      throw new AssertionError(
          context.getRequiredTestClass().getSimpleName() + " leaves behind: " + left.keySet());
    }
  }

  private static ExtensionContext.Store store(ExtensionContext context) {
    return context.getStore(
        ExtensionContext.Namespace.create(NothingLeft.class, context.getRequiredTestClass()));
  }

  /** Threads, names of files and what classes of a JVM share, by what there is to say of them. */
  private static Map<String, Object> left(ExtensionContext context) {
    Map<String, Object> left = new TreeMap<>();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread.getName().startsWith("spillway-")) {
                left.put(thread + " " + Arrays.asList(stack), thread);
              }
            });
    if (Collections.disjoint(context.getTags(), JVM_OF_ITS_OWN)) {
      putShared(left);
    }
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      files
          .map(NothingLeft::target)
          .filter(file -> file.contains(TEMPORARY))
          .forEach(file -> left.put(file, file));
    } catch (IOException e) {
      throw new AssertionError("which files are open", e);
    }
    return left;
  }

  private static void putShared(Map<String, Object> left) {
    // First, because it sets a property, user.timezone, when it is asked for the first time.
    left.put("time zone " + TimeZone.getDefault().getID(), TimeZone.getDefault());
    System.getProperties()
        .forEach((name, value) -> left.put("property " + name, Map.entry(name, value)));
    left.put("locale " + Locale.getDefault(), Locale.getDefault());
    left.put("another System.out", System.out);
    left.put("another System.err", System.err);
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
