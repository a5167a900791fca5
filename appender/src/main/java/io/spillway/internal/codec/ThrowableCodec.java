package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.spillway.internal.metrics.Environment;
import java.util.ArrayList;
import java.util.List;

/** Throwables with causes and suppressed ones. */
final class ThrowableCodec {
  /** Levels of throwables below one another, be they causes or suppressed. */
  static final int MAX_THROWABLE_DEPTH = 1_024;

  /** Throwables of one event; only proxies that share nodes, which Logback's do not, get there. */
  private static final int MAX_THROWABLES = 65_536;

  private ThrowableCodec() {}

  /**
   * Writes a throwable with its suppressed ones and causes as a tree. What is nested deeper than
   * the limit is left out. A proxy met again below itself is written as Logback marks a circular
   * reference; Logback's own proxies never are, other people's may be.
   */
  static final class Writer {
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
        Environment.hasMethod(IThrowableProxy.class, "getOverridingMessage", String.class);

    private final Output out;
    private final Dictionary.Writer dictionary;
    private final List<IThrowableProxy> path = new ArrayList<>();
    private int written;

    Writer(Output out, Dictionary.Writer dictionary) {
      this.out = out;
      this.dictionary = dictionary;
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

    /**
     * Writes one throwable and what it suppressed; returns the cause that is to follow, or null.
     */
    private IThrowableProxy node(IThrowableProxy proxy) {
      boolean circular = onPath(proxy);
      path.add(proxy);
      written++;
      boolean leaf = circular || path.size() >= MAX_THROWABLE_DEPTH;
      StackTraceElementProxy[] frames =
          circular ? NO_FRAMES : proxy.getStackTraceElementProxyArray();
      IThrowableProxy[] suppressed = leaf ? NO_SUPPRESSED : proxy.getSuppressed();
      if (suppressed != null && suppressed.length > MAX_THROWABLES - written) {
        suppressed = NO_SUPPRESSED;
      }
      IThrowableProxy cause = leaf || written >= MAX_THROWABLES ? null : proxy.getCause();
      String overriding = OVERRIDABLE ? proxy.getOverridingMessage() : null;
      out.u8(
          PRESENT
              | (circular || proxy.isCyclic() ? CYCLIC : 0)
              | (overriding != null ? OVERRIDING : 0)
              | (frames != null ? FRAMES : 0)
              | (suppressed != null ? SUPPRESSED : 0)
              | (cause != null ? CAUSE : 0));
      dictionary.name(proxy.getClassName());
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
          FrameCodec.write(out, dictionary, frame);
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

  /** Reads what {@link Writer} wrote; deeper nesting than that writes is refused. */
  static final class Reader {
    private final Input in;
    private final Dictionary.Reader dictionary;

    Reader(Input in, Dictionary.Reader dictionary) {
      this.in = in;
      this.dictionary = dictionary;
    }

    IThrowableProxy read() throws CodecException {
      Spilled root = chain(0);
      if (root == null) {
        throw new CodecException("no throwable where one was announced");
      }
      return root;
    }

    private Spilled chain(int depthAbove) throws CodecException {
      Spilled first = null;
      Spilled effect = null;
      int depth = depthAbove;
      boolean more;
      do {
        if (++depth > MAX_THROWABLE_DEPTH) {
          throw new CodecException("throwables nested deeper than " + MAX_THROWABLE_DEPTH);
        }
        int flags = flags(effect != null);
        if (flags == Writer.ABSENT) {
          return null;
        }
        Spilled node = node(flags, depth);
        if (effect == null) {
          first = node;
        } else {
          effect.setCause(node);
        }
        effect = node;
        more = (flags & Writer.CAUSE) != 0;
      } while (more);
      return first;
    }

    private int flags(boolean isCause) throws CodecException {
      int flags = in.u8();
      boolean absent = flags == Writer.ABSENT && !isCause;
      boolean known = (flags & ~Writer.KNOWN_FLAGS) == 0 && (flags & Writer.PRESENT) != 0;
      if (!absent && !known) {
        throw new CodecException("unknown throwable flags " + flags);
      }
      return flags;
    }

    private Spilled node(int flags, int depth) throws CodecException {
      String className = dictionary.name();
      String message = in.string();
      String overriding = (flags & Writer.OVERRIDING) != 0 ? in.string() : null;
      long commonFrames = in.zigzag();
      if (commonFrames != (int) commonFrames) {
        throw new CodecException(commonFrames + " common frames");
      }
      StackTraceElementProxy[] frames = (flags & Writer.FRAMES) != 0 ? frames() : null;
      IThrowableProxy[] suppressed = (flags & Writer.SUPPRESSED) != 0 ? suppressed(depth) : null;
      return new Spilled(
          className,
          message,
          overriding,
          (flags & Writer.CYCLIC) != 0,
          (int) commonFrames,
          frames,
          suppressed);
    }

    private StackTraceElementProxy[] frames() throws CodecException {
      StackTraceElementProxy[] frames = new StackTraceElementProxy[in.count(1)];
      for (int i = 0; i < frames.length; i++) {
        frames[i] = FrameCodec.readProxy(in, dictionary);
      }
      return frames;
    }

    // A list that grows, not an array of the announced size: each level could announce all that is
    // left of the input once more.
    private IThrowableProxy[] suppressed(int depth) throws CodecException {
      int count = in.count(1);
      if (count == 0) {
        return Writer.NO_SUPPRESSED;
      }
      List<IThrowableProxy> suppressed = new ArrayList<>(Math.min(count, 4));
      for (int i = 0; i < count; i++) {
        suppressed.add(chain(depth));
      }
      return suppressed.toArray(Writer.NO_SUPPRESSED);
    }
  }

  /** A throwable read back: all that layouts print of it, never the throwable itself. */
  private static final class Spilled implements IThrowableProxy {
    private final String className;
    private final String message;
    private final String overridingMessage;
    private final boolean cyclic;
    private final int commonFrames;
    private final StackTraceElementProxy[] frames;
    private final IThrowableProxy[] suppressed;
    private IThrowableProxy cause;

    Spilled(
        String className,
        String message,
        String overridingMessage,
        boolean cyclic,
        int commonFrames,
        StackTraceElementProxy[] frames,
        IThrowableProxy[] suppressed) {
      this.className = className;
      this.message = message;
      this.overridingMessage = overridingMessage;
      this.cyclic = cyclic;
      this.commonFrames = commonFrames;
      this.frames = frames;
      this.suppressed = suppressed;
    }

    void setCause(IThrowableProxy cause) {
      this.cause = cause;
    }

    @Override
    public String getClassName() {
      return className;
    }

    @Override
    public String getMessage() {
      return message;
    }

    @Override
    public String getOverridingMessage() {
      return overridingMessage;
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      return frames;
    }

    @Override
    public int getCommonFrames() {
      return commonFrames;
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
      return cyclic;
    }
  }
}
