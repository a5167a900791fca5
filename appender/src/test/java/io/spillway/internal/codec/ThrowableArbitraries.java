package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ClassPackagingData;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Random throwables: nested, suppressed, circular, stackless, with messages of their own. */
final class ThrowableArbitraries {
  /** Real frames kept: enough for common ones, few enough to print often. */
  private static final int REAL_FRAMES = 6;

  private ThrowableArbitraries() {}

  /** A throwable whose first line is not "class: message". */
  private static final class Renamed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Renamed(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return "renamed <" + getMessage() + ">";
    }
  }

  static Arbitrary<IThrowableProxy> proxies() {
    return Combinators.combine(throwables(3), Arbitraries.of(true, false))
        .as(ThrowableArbitraries::proxy)
        .injectNull(0.3);
  }

  private static IThrowableProxy proxy(Throwable throwable, boolean packaging) {
    ThrowableProxy proxy = new ThrowableProxy(throwable);
    if (packaging) {
      pack(proxy.getStackTraceElementProxyArray());
    }
    return proxy;
  }

  @SuppressWarnings("deprecation") // newer Logback deprecates packaging data and still prints it
  private static void pack(StackTraceElementProxy[] frames) {
    for (int i = 0; i < frames.length; i++) {
      String version = i % 3 == 0 ? null : "1." + i;
      frames[i].setClassPackagingData(
          new ClassPackagingData("lib" + i + ".jar", version, i % 2 == 0));
    }
  }

  private static Arbitrary<Throwable> throwables(int depth) {
    Arbitrary<Throwable> bare =
        Combinators.combine(
                Arbitraries.integers().between(0, 3),
                EventArbitraries.strings().injectNull(0.2),
                Arbitraries.integers().between(0, 2),
                frames().array(StackTraceElement[].class).ofMaxSize(4))
            .as(ThrowableArbitraries::bare);
    if (depth == 0) {
      return bare;
    }
    return Combinators.combine(
            bare,
            throwables(depth - 1).injectNull(0.4),
            throwables(depth - 1).list().ofMaxSize(2),
            Arbitraries.integers().between(0, 5))
        .as(ThrowableArbitraries::nest);
  }

  private static Throwable bare(int kind, String message, int stack, StackTraceElement[] frames) {
    Throwable throwable =
        switch (kind) {
          case 0 -> new Renamed(message);
          case 1 -> new AssertionError(message);
          case 2 -> new java.io.IOException(message);
          default -> new IllegalStateException(message);
        };
    if (stack == 0) {
      throwable.setStackTrace(new StackTraceElement[0]);
    } else if (stack == 1) {
      throwable.setStackTrace(frames);
    } else {
      throwable.setStackTrace(Arrays.copyOf(throwable.getStackTrace(), REAL_FRAMES));
    }
    return throwable;
  }

  private static Throwable nest(
      Throwable outer, Throwable cause, List<Throwable> suppressed, int circular) {
    if (cause != null && outer.getCause() == null) {
      outer.initCause(cause);
    }
    suppressed.forEach(outer::addSuppressed);
    if (circular == 0 && cause != null) {
      cause.addSuppressed(outer);
    } else if (circular == 1 && !suppressed.isEmpty() && suppressed.get(0).getCause() == null) {
      suppressed.get(0).initCause(outer);
    }
    return outer;
  }

  /** Real frames show less than they know; made ones show all. */
  static Arbitrary<StackTraceElement> frames() {
    Arbitrary<StackTraceElement> made =
        Combinators.combine(
                Arbitraries.of("app", "", "x").injectNull(0.5),
                Arbitraries.of("java.base", "", "my.mod").injectNull(0.5),
                Arbitraries.of("17", "").injectNull(0.5),
                EventArbitraries.names(),
                EventArbitraries.strings(),
                EventArbitraries.strings().injectNull(0.2),
                Arbitraries.integers().between(-2, 5_000))
            .as(StackTraceElement::new);
    return Arbitraries.oneOf(made, Arbitraries.of(new Throwable().getStackTrace()));
  }
}
