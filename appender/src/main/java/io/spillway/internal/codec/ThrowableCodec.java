package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.spillway.internal.metrics.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Writes and reads throwables with their causes and suppressed throwables. */
final class ThrowableCodec {
  /** Most throwables written of an event, as causes may never end; no real event has as many. */
  static final int MAX_THROWABLES = 1 << 20;

  private ThrowableCodec() {}

  /**
   * Writes a throwable with its suppressed throwables and causes as a tree, without recursion,
   * since the tree may have any depth. Beyond the limit, a throwable that says so takes the place
   * of what is left out. A proxy that occurs again below itself is written as Logback marks a
   * circular reference; Logback's own proxies never do so, foreign proxies may.
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

    /** Whether the proxies of this Logback have an overriding message. */
    private static final boolean OVERRIDABLE =
        Environment.hasMethod(IThrowableProxy.class, "getOverridingMessage", String.class);

    private final Output out;
    private final Dictionary.Writer dictionary;
    private Deque<Open> open; // throwables written in part, the innermost first
    private Map<IThrowableProxy, Boolean> path; // by identity: open ones, and their effects
    private int room;

    Writer(Output out, Dictionary.Writer dictionary) {
      this.out = out;
      this.dictionary = dictionary;
    }

    /** A throwable whose suppressed throwables are being written; its cause follows them. */
    private static final class Open {
      private final IThrowableProxy proxy;
      private final Open effect; // the throwable that it is the cause of, or null
      private final IThrowableProxy[] suppressed;
      private final IThrowableProxy cause;
      private int next;

      Open(
          IThrowableProxy proxy, Open effect, IThrowableProxy[] suppressed, IThrowableProxy cause) {
        this.proxy = proxy;
        this.effect = effect;
        this.suppressed = suppressed;
        this.cause = cause;
      }
    }

    void write(IThrowableProxy root) {
      open = new ArrayDeque<>();
      path = new IdentityHashMap<>();
      room = MAX_THROWABLES - 1;
      try {
        begin(root, null);
        while (!open.isEmpty()) {
          goOn(open.peek());
        }
      } finally {
        open = null;
        path = null;
      }
    }

    private void goOn(Open now) {
      if (now.next < now.suppressed.length) {
        IThrowableProxy proxy = now.suppressed[now.next++];
        if (proxy == null) {
          out.u8(ABSENT);
        } else {
          begin(proxy, null);
        }
        return;
      }
      open.pop();
      if (now.cause != null) {
        begin(now.cause, now);
      } else {
        for (Open each = now; each != null; each = each.effect) {
          path.remove(each.proxy);
        }
      }
    }

    /** Writes one throwable, except for its suppressed throwables and its cause. */
    private void begin(IThrowableProxy proxy, Open effect) {
      boolean circular = path.containsKey(proxy);
      StackTraceElementProxy[] frames =
          circular ? NO_FRAMES : proxy.getStackTraceElementProxyArray();
      IThrowableProxy[] suppressed = circular ? NO_SUPPRESSED : admitted(proxy.getSuppressed());
      IThrowableProxy cause = circular ? null : admitted(proxy.getCause());
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
      if (suppressed != null) {
        out.varint(suppressed.length);
      }
      open.push(
          new Open(
              circular ? null : proxy,
              effect,
              suppressed == null ? NO_SUPPRESSED : suppressed,
              cause));
      if (!circular) {
        path.put(proxy, true);
      }
    }

    /** Returns all if there is room; otherwise as many as fit, and one that counts the rest. */
    private IThrowableProxy[] admitted(IThrowableProxy[] suppressed) {
      if (suppressed == null || suppressed.length <= room) {
        room -= suppressed == null ? 0 : suppressed.length;
        return suppressed;
      }
      IThrowableProxy[] some = Arrays.copyOf(suppressed, room + 1, IThrowableProxy[].class);
      some[room] = leftOut(suppressed.length - room + " suppressed throwables");
      room = 0;
      return some;
    }

    private IThrowableProxy admitted(IThrowableProxy cause) {
      if (cause == null || room > 0) {
        room -= cause == null ? 0 : 1;
        return cause;
      }
      return leftOut("the causes from here on");
    }

    private static IThrowableProxy leftOut(String what) {
      String message = what + ": Spillway writes " + MAX_THROWABLES + " throwables of an event";
      Spilled mark = new Spilled("[left out]", message, NO_FRAMES);
      mark.suppressed = NO_SUPPRESSED;
      return mark;
    }

    private void frames(StackTraceElementProxy[] frames) {
      if (frames != null) {
        out.varint(frames.length);
        for (StackTraceElementProxy frame : frames) {
          FrameCodec.write(out, dictionary, frame);
        }
      }
    }
  }

  /** Reads what {@link Writer} wrote, without recursion. */
  static final class Reader {
    private final Input in;
    private final Dictionary.Reader dictionary;

    Reader(Input in, Dictionary.Reader dictionary) {
      this.in = in;
      this.dictionary = dictionary;
    }

    /** A throwable whose suppressed throwables are being read. */
    private static final class Open {
      private final Spilled node;
      private final boolean hasCause;
      private final List<IThrowableProxy> suppressed; // or null
      private int announced;

      // A list that grows, not an array of the announced size: if a payload is damaged, each level
      // could announce all of the remaining input again.
      Open(Spilled node, int flags, int announced) {
        this.node = node;
        this.hasCause = (flags & Writer.CAUSE) != 0;
        this.suppressed = announced == 0 ? null : new ArrayList<>(Math.min(announced, 4));
        this.announced = announced;
      }
    }

    IThrowableProxy read() throws CodecException {
      Deque<Open> open = new ArrayDeque<>(4);
      Spilled root = node(flags(), open);
      while (!open.isEmpty()) {
        Open now = open.peek();
        if (now.announced > 0) {
          now.announced--;
          int flags = in.u8();
          now.suppressed.add(flags == Writer.ABSENT ? null : node(known(flags), open));
          continue;
        }
        open.pop();
        if (now.suppressed != null) {
          now.node.suppressed = now.suppressed.toArray(Writer.NO_SUPPRESSED);
        }
        if (now.hasCause) {
          now.node.cause = node(flags(), open);
        }
      }
      return root;
    }

    private int flags() throws CodecException {
      return known(in.u8());
    }

    private static int known(int flags) throws CodecException {
      if ((flags & ~Writer.KNOWN_FLAGS) != 0 || (flags & Writer.PRESENT) == 0) {
        throw new CodecException("unknown throwable flags " + flags);
      }
      return flags;
    }

    /** Reads one throwable, except for its suppressed throwables and its cause, which follow. */
    private Spilled node(int flags, Deque<Open> open) throws CodecException {
      String className = dictionary.name();
      String message = in.string();
      String overriding = (flags & Writer.OVERRIDING) != 0 ? in.string() : null;
      long commonFrames = in.zigzag();
      if (commonFrames != (int) commonFrames) {
        throw new CodecException(commonFrames + " common frames");
      }
      StackTraceElementProxy[] frames = (flags & Writer.FRAMES) != 0 ? frames() : null;
      boolean cyclic = (flags & Writer.CYCLIC) != 0;
      Spilled node = new Spilled(className, message, frames);
      node.overridingMessage = overriding;
      node.cyclic = cyclic;
      node.commonFrames = (int) commonFrames;
      int announced = 0;
      if ((flags & Writer.SUPPRESSED) != 0) {
        announced = in.count(1);
        node.suppressed = Writer.NO_SUPPRESSED;
      }
      if (announced > 0 || (flags & Writer.CAUSE) != 0) {
        open.push(new Open(node, flags, announced));
      }
      return node;
    }

    private StackTraceElementProxy[] frames() throws CodecException {
      StackTraceElementProxy[] frames = new StackTraceElementProxy[in.count(1)];
      for (int i = 0; i < frames.length; i++) {
        frames[i] = FrameCodec.readProxy(in, dictionary);
      }
      return frames;
    }
  }

  /** A throwable read back: all that layouts print of a throwable, never the throwable itself. */
  private static final class Spilled implements IThrowableProxy {
    private final String className;
    private final String message;
    private final StackTraceElementProxy[] frames;
    private String overridingMessage;
    private boolean cyclic;
    private int commonFrames;
    private IThrowableProxy[] suppressed;
    private IThrowableProxy cause;

    Spilled(String className, String message, StackTraceElementProxy[] frames) {
      this.className = className;
      this.message = message;
      this.frames = frames;
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
