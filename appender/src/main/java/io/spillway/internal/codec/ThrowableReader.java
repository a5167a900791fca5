package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@link ThrowableWriter} wrote; deeper nesting than that writes is refused. */
final class ThrowableReader {
  private final Input in;
  private final NameReader names;

  ThrowableReader(Input in, NameReader names) {
    this.in = in;
    this.names = names;
  }

  SpilledThrowable read() throws CodecException {
    SpilledThrowable root = chain(0);
    if (root == null) {
      throw new CodecException("no throwable where one was announced");
    }
    return root;
  }

  private SpilledThrowable chain(int depthAbove) throws CodecException {
    SpilledThrowable first = null;
    SpilledThrowable effect = null;
    int depth = depthAbove;
    boolean more;
    do {
      if (++depth > Format.MAX_THROWABLE_DEPTH) {
        throw new CodecException("throwables nested deeper than " + Format.MAX_THROWABLE_DEPTH);
      }
      int flags = flags(effect != null);
      if (flags == ThrowableWriter.ABSENT) {
        return null;
      }
      SpilledThrowable node = node(flags, depth);
      if (effect == null) {
        first = node;
      } else {
        effect.setCause(node);
      }
      effect = node;
      more = (flags & ThrowableWriter.CAUSE) != 0;
    } while (more);
    return first;
  }

  private int flags(boolean isCause) throws CodecException {
    int flags = in.u8();
    boolean absent = flags == ThrowableWriter.ABSENT && !isCause;
    boolean known =
        (flags & ~ThrowableWriter.KNOWN_FLAGS) == 0 && (flags & ThrowableWriter.PRESENT) != 0;
    if (!absent && !known) {
      throw new CodecException("unknown throwable flags " + flags);
    }
    return flags;
  }

  private SpilledThrowable node(int flags, int depth) throws CodecException {
    String className = names.read();
    String message = in.string();
    String overriding = (flags & ThrowableWriter.OVERRIDING) != 0 ? in.string() : null;
    long commonFrames = in.zigzag();
    if (commonFrames != (int) commonFrames) {
      throw new CodecException(commonFrames + " common frames");
    }
    StackTraceElementProxy[] frames = (flags & ThrowableWriter.FRAMES) != 0 ? frames() : null;
    IThrowableProxy[] suppressed =
        (flags & ThrowableWriter.SUPPRESSED) != 0 ? suppressed(depth) : null;
    return new SpilledThrowable(
        className,
        message,
        overriding,
        (flags & ThrowableWriter.CYCLIC) != 0,
        (int) commonFrames,
        frames,
        suppressed);
  }

  private StackTraceElementProxy[] frames() throws CodecException {
    StackTraceElementProxy[] frames = new StackTraceElementProxy[in.count(1)];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = FrameCodec.readProxy(in, names);
    }
    return frames;
  }

  // A list that grows, not an array of the announced size: each level could announce all that is
  // left of the input once more.
  private IThrowableProxy[] suppressed(int depth) throws CodecException {
    int count = in.count(1);
    if (count == 0) {
      return SpilledThrowable.NO_SUPPRESSED;
    }
    List<IThrowableProxy> suppressed = new ArrayList<>(Math.min(count, 4));
    for (int i = 0; i < count; i++) {
      suppressed.add(chain(depth));
    }
    return suppressed.toArray(SpilledThrowable.NO_SUPPRESSED);
  }
}
