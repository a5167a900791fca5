package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.spillway.internal.metrics.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Writes a throwable with its suppressed ones and causes as a tree. What is nested deeper than the
 * limit is left out. A proxy met again below itself is written as Logback marks a circular
 * reference; Logback's own proxies never are, other people's may be.
 */
final class ThrowableWriter {
  static final int ABSENT = 0;
  static final int PRESENT = 1;
  static final int CYCLIC = 1 << 1;
  static final int OVERRIDING = 1 << 2;
  static final int FRAMES = 1 << 3;
  static final int SUPPRESSED = 1 << 4;
  static final int CAUSE = 1 << 5;
  static final int KNOWN_FLAGS = (1 << 6) - 1;

  private static final StackTraceElementProxy[] NO_FRAMES = {};
  private static final IThrowableProxy[] NO_SUPPRESSED = {};

  /** Whether Logback's proxies have such a message. */
  private static final boolean OVERRIDABLE =
      Environment.links(() -> (Function<IThrowableProxy, ?>) IThrowableProxy::getOverridingMessage);

  private final Output out;
  private final NameWriter names;
  private final List<IThrowableProxy> path = new ArrayList<>();
  private int written;

  ThrowableWriter(Output out, NameWriter names) {
    this.out = out;
    this.names = names;
  }

  void write(IThrowableProxy root) {
    written = 0;
    try {
      chain(root);
    } finally {
      path.clear();
    }
  }

  // Causes in a loop, suppressed ones by recursion, which the depth limit bounds.
  private void chain(IThrowableProxy first) {
    int depth = path.size();
    IThrowableProxy next = first;
    while (next != null) {
      next = node(next);
    }
    path.subList(depth, path.size()).clear();
  }

  /** Writes one throwable and what it suppressed; returns the cause that is to follow, or null. */
  private IThrowableProxy node(IThrowableProxy proxy) {
    boolean circular = onPath(proxy);
    path.add(proxy);
    written++;
    boolean leaf = circular || path.size() >= Format.MAX_THROWABLE_DEPTH;
    StackTraceElementProxy[] frames = circular ? NO_FRAMES : proxy.getStackTraceElementProxyArray();
    IThrowableProxy[] suppressed = leaf ? NO_SUPPRESSED : proxy.getSuppressed();
    if (suppressed != null && suppressed.length > Format.MAX_THROWABLES - written) {
      suppressed = NO_SUPPRESSED;
    }
    IThrowableProxy cause = leaf || written >= Format.MAX_THROWABLES ? null : proxy.getCause();
    String overriding = OVERRIDABLE ? proxy.getOverridingMessage() : null;
    out.u8(
        PRESENT
            | (circular || proxy.isCyclic() ? CYCLIC : 0)
            | (overriding != null ? OVERRIDING : 0)
            | (frames != null ? FRAMES : 0)
            | (suppressed != null ? SUPPRESSED : 0)
            | (cause != null ? CAUSE : 0));
    names.write(proxy.getClassName());
    out.string(proxy.getMessage());
    if (overriding != null) {
      out.string(overriding);
    }
    out.zigzag(circular ? 0 : proxy.getCommonFrames());
    frames(frames);
    suppressed(suppressed);
    return cause;
  }

  private void frames(StackTraceElementProxy[] frames) {
    if (frames != null) {
      out.varint(frames.length);
      for (StackTraceElementProxy frame : frames) {
        FrameCodec.write(out, names, frame);
      }
    }
  }

  private void suppressed(IThrowableProxy[] suppressed) {
    if (suppressed != null) {
      out.varint(suppressed.length);
      for (IThrowableProxy proxy : suppressed) {
        if (proxy == null) {
          out.u8(ABSENT);
        } else {
          chain(proxy);
        }
      }
    }
  }

  private boolean onPath(IThrowableProxy proxy) {
    for (int i = 0; i < path.size(); i++) {
      if (path.get(i) == proxy) {
        return true;
      }
    }
    return false;
  }
}
