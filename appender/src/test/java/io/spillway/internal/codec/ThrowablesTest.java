package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThrowablesTest {
  /** A proxy of somebody's own making, with what Logback's never have. */
  private static class Own implements IThrowableProxy {
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
  void shouldKeepAThousandAndMoreCauses() {
    IThrowableProxy original = new ThrowableProxy(chain(1_500));

    assertThat(ThrowableProxyUtil.asString(spill(original)))
        .isEqualTo(ThrowableProxyUtil.asString(original));
  }

  @Test
  void shouldKeepAllCausesHoweverMany() {
    Own top = new Own("0");
    Own end = top;
    for (int i = 1; i < 100_000; i++) {
      Own next = new Own("" + i);
      end.cause = next;
      end = next;
    }

    assertThat(causes(spill(top))).hasSize(100_000).last().isEqualTo("99999");
  }

  @Test
  void shouldKeepSuppressedOnesHoweverDeep() {
    Own top = new Own("top");
    Own end = top;
    for (int i = 1; i < 100_000; i++) {
      Own next = new Own("next");
      end.suppressed = new IThrowableProxy[] {null, next};
      end = next;
    }
    IThrowableProxy last = spill(top);
    int levels = 1;
    while (last.getSuppressed() != null) {
      assertThat(last.getSuppressed()[0]).isNull();
      last = last.getSuppressed()[1];
      levels++;
    }

    assertThat(levels).isEqualTo(100_000);
  }

  @Test
  void shouldKeepAllSuppressedOnesHoweverMany() {
    Own top = new Own("top");
    top.suppressed = new IThrowableProxy[100_000];
    for (int i = 0; i < top.suppressed.length; i++) {
      top.suppressed[i] = new Own("" + i);
    }

    IThrowableProxy[] spilled = spill(top).getSuppressed();

    assertThat(spilled).hasSize(100_000);
    assertThat(spilled[99_999].getClassName()).isEqualTo("99999");
  }

  @Test
  void shouldMarkWhereItCutsCausesThatDoNotEnd() {
    List<String> spilled = causes(spill(new Endless("endless")));

    assertThat(spilled.size()).isGreaterThan(1_000_000);
    assertThat(spilled.get(spilled.size() - 1)).contains("left out");
    assertThat(spilled.get(spilled.size() - 2)).isEqualTo("endless");
  }

  @Test
  void shouldSayHowManySuppressedOnesItLeavesOut() {
    Own top = new Own("top");
    Own cause = new Own("cause");
    cause.cause = new Own("root");
    top.suppressed = new IThrowableProxy[1_200_000];
    Arrays.fill(top.suppressed, new Own("suppressed"));
    top.cause = cause;
    IThrowableProxy spilled = spill(top);
    IThrowableProxy[] suppressed = spilled.getSuppressed();
    IThrowableProxy mark = suppressed[suppressed.length - 1];

    assertThat(suppressed.length).isBetween(1_000_000, 1_199_999);
    assertThat(suppressed[suppressed.length - 2].getClassName()).isEqualTo("suppressed");
    assertThat(mark.getClassName()).contains("left out");
    assertThat(mark.getMessage())
        .startsWith(1_200_000 - (suppressed.length - 1) + " suppressed throwables");
    assertThat(causes(spilled)).hasSize(2).last().asString().contains("left out");
    assertThat(ThrowableProxyUtil.asString(spilled.getCause())).contains("left out");
  }

  private static List<String> causes(IThrowableProxy top) {
    List<String> names = new ArrayList<>();
    for (IThrowableProxy next = top; next != null; next = next.getCause()) {
      names.add(next.getClassName());
    }
    return names;
  }

  /** Has another cause whenever it is asked. */
  private static final class Endless extends Own {
    Endless(String name) {
      super(name);
    }

    @Override
    public IThrowableProxy getCause() {
      return new Endless("endless");
    }
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

    assertThat(Runs.encode(Events.of("").throwable(node)).length).isLessThan(64 << 20);
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
