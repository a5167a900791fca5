package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import org.junit.jupiter.api.Test;

class ThrowablesTest {
  /** A proxy of somebody's own making, with what Logback's never have. */
  private static final class Own implements IThrowableProxy {
    private final String name;
    private StackTraceElementProxy[] frames;
    private IThrowableProxy cause;
    private IThrowableProxy[] suppressed;

    Own(String name) {
      this.name = name;
    }

    @Override
    public String getMessage() {
      return "message of " + name;
    }

    @Override
    public String getClassName() {
      return name;
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      return frames;
    }

    @Override
    public int getCommonFrames() {
      return -1;
    }

    @Override
    public IThrowableProxy getCause() {
      return cause;
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
      return suppressed;
    }

    @Override
    public boolean isCyclic() {
      return false;
    }
  }

  private static IThrowableProxy spill(IThrowableProxy proxy) {
    return Runs.roundTrip(Events.of("").throwable(proxy)).getThrowableProxy();
  }

  private static Throwable chain(int causes) {
    Throwable throwable = new IllegalStateException("root");
    for (int i = 0; i < causes; i++) {
      throwable = new IllegalStateException("level " + i, throwable);
      throwable.setStackTrace(new StackTraceElement[0]);
    }
    return throwable;
  }

  @Test
  void shouldKeepAThousandCauses() {
    IThrowableProxy original = new ThrowableProxy(chain(1_000));

    assertThat(ThrowableProxyUtil.asString(spill(original)))
        .isEqualTo(ThrowableProxyUtil.asString(original));
  }

  @Test
  void shouldCutCausesBeyondTheLimitAndKeepTheEvent() {
    Own top = new Own("0");
    Own end = top;
    for (int i = 1; i < 100_000; i++) {
      Own next = new Own("" + i);
      end.cause = next;
      end = next;
    }
    IThrowableProxy last = spill(top);
    int levels = 1;
    while (last.getCause() != null) {
      last = last.getCause();
      levels++;
    }

    assertThat(levels).isEqualTo(ThrowableCodec.MAX_THROWABLE_DEPTH);
    assertThat(last.getClassName()).isEqualTo("" + (levels - 1));
  }

  @Test
  void shouldCutSuppressedOnesBeyondTheLimitAndKeepTheEvent() {
    Own top = new Own("top");
    Own end = top;
    for (int i = 1; i < 100_000; i++) {
      Own next = new Own("next");
      end.suppressed = new IThrowableProxy[] {null, next};
      end = next;
    }
    IThrowableProxy last = spill(top);
    int levels = 1;
    while (last.getSuppressed().length > 0) {
      assertThat(last.getSuppressed()[0]).isNull();
      last = last.getSuppressed()[1];
      levels++;
    }

    assertThat(levels).isEqualTo(ThrowableCodec.MAX_THROWABLE_DEPTH);
  }

  @Test
  void shouldKeepCircularCausesAndSuppressed() {
    Throwable one = new IllegalStateException("one");
    Throwable two = new IllegalStateException("two", one);
    Throwable three = new IllegalStateException("three", two);
    one.initCause(three);
    two.addSuppressed(three);
    three.addSuppressed(one);
    IThrowableProxy original = new ThrowableProxy(three);
    IThrowableProxy spilled = spill(original);

    assertThat(ThrowableProxyUtil.asString(spilled))
        .contains("CIRCULAR REFERENCE")
        .isEqualTo(ThrowableProxyUtil.asString(original));
  }

  @Test
  void shouldMarkAProxyMetBelowItself() {
    Own one = new Own("one");
    Own two = new Own("two");
    one.cause = two;
    two.cause = one;
    two.suppressed = new IThrowableProxy[] {two};
    IThrowableProxy spilled = spill(one);

    assertThat(spilled.isCyclic()).isFalse();
    assertThat(spilled.getCause().isCyclic()).isFalse();
    assertThat(spilled.getCause().getSuppressed()[0].isCyclic()).isTrue();
    assertThat(spilled.getCause().getCause().isCyclic()).isTrue();
    assertThat(spilled.getCause().getCause().getMessage()).isEqualTo("message of one");
    assertThat(spilled.getCause().getCause().getCause()).isNull();
  }

  @Test
  void shouldBoundWhatSharedProxiesUnfoldTo() {
    Own node = new Own("leaf");
    for (int i = 0; i < 40; i++) {
      Own next = new Own("node " + i);
      next.suppressed = new IThrowableProxy[] {node, node};
      node = next;
    }

    assertThat(Runs.encode(Events.of("").throwable(node)).length).isLessThan(8 << 20);
  }

  @Test
  void shouldKeepNullAndEmptyArraysApart() {
    Own none = new Own("none");
    Own empty = new Own("empty");
    empty.frames = new StackTraceElementProxy[] {};
    empty.suppressed = new IThrowableProxy[] {};
    none.cause = empty;
    IThrowableProxy spilled = spill(none);

    assertThat(spilled.getStackTraceElementProxyArray()).isNull();
    assertThat(spilled.getSuppressed()).isNull();
    assertThat(spilled.getCommonFrames()).isEqualTo(-1);
    assertThat(spilled.getCause().getStackTraceElementProxyArray()).isEmpty();
    assertThat(spilled.getCause().getSuppressed()).isEmpty();
  }
}
