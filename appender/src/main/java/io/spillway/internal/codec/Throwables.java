package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ClassPackagingData;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes and reads throwables, with their causes and suppressed ones, and stack frames. */
@SuppressWarnings("deprecation") // newer Logback deprecates packaging data and still prints it
final class Throwables {
  private static final int MAX_DEPTH = 256;
  private static final int MAX_THROWABLES = 4096; // of an event: foreign proxies may be endless
  private static final int MIN_FRAME_BYTES = 8;
  private static final IThrowableProxy[] NONE = {};
  private static final IThrowableProxy LEFT_OUT = new Spilled();

  /** Older versions of Logback have no overriding messages. */
  private static final boolean OVERRIDABLE =
      Arrays.stream(IThrowableProxy.class.getMethods())
          .anyMatch(method -> method.getName().equals("getOverridingMessage"));

  private Throwables() {}

  static void write(Output out, IThrowableProxy throwable) {
    write(out, throwable, 0, MAX_THROWABLES);
  }

  /** Writes a throwable and those below it; returns how many may still be written. */
  private static int write(Output out, IThrowableProxy throwable, int depth, int most) {
    out.u8(throwable == null ? 0 : 1);
    if (throwable == null) {
      return most;
    }
    IThrowableProxy proxy = most <= 0 || depth > MAX_DEPTH ? LEFT_OUT : throwable;
    out.name(proxy.getClassName());
    out.string(proxy.getMessage());
    out.string(OVERRIDABLE ? proxy.getOverridingMessage() : null);
    out.u8(proxy.isCyclic() ? 1 : 0);
    out.zigzag(proxy.getCommonFrames());
    StackTraceElementProxy[] frames = proxy.getStackTraceElementProxyArray();
    int frameCount = frames == null ? 0 : frames.length;
    out.varint(frameCount);
    for (int i = 0; i < frameCount; i++) {
      writeFrame(out, frames[i].getStackTraceElement(), frames[i].getClassPackagingData());
    }
    IThrowableProxy[] suppressed = proxy.getSuppressed() == null ? NONE : proxy.getSuppressed();
    out.varint(suppressed.length);
    int room = most - 1;
    for (IThrowableProxy each : suppressed) {
      room = write(out, each, depth + 1, room);
    }
    return write(out, proxy.getCause(), depth + 1, room);
  }

  static IThrowableProxy read(Input in, int depth) {
    if (in.u8() == 0) {
      return null;
    }
    Input.check(depth <= MAX_DEPTH + 1, "throwables too deep");
    Spilled throwable = new Spilled();
    throwable.className = in.name();
    throwable.message = in.string();
    throwable.overridingMessage = in.string();
    throwable.cyclic = in.u8() != 0;
    throwable.commonFrames = (int) in.zigzag();
    throwable.frames = new StackTraceElementProxy[in.count(MIN_FRAME_BYTES)];
    for (int i = 0; i < throwable.frames.length; i++) {
      throwable.frames[i] = readFrame(in);
    }
    // No array of the announced size: each level could announce all of the remaining bytes again.
    List<IThrowableProxy> suppressed = new ArrayList<>(2);
    for (int announced = in.count(1); announced > 0; announced--) {
      suppressed.add(read(in, depth + 1));
    }
    throwable.suppressed = suppressed.toArray(NONE);
    throwable.cause = read(in, depth + 1);
    return throwable;
  }

  static void writeFrame(Output out, StackTraceElement element, ClassPackagingData packaging) {
    StackTraceElement frame = shown(element);
    out.name(frame.getClassLoaderName());
    out.name(frame.getModuleName());
    out.name(frame.getModuleVersion());
    out.name(frame.getClassName());
    out.name(frame.getMethodName());
    out.name(frame.getFileName());
    out.zigzag(frame.getLineNumber());
    out.u8(packaging == null ? 0 : packaging.isExact() ? 1 : 2);
    if (packaging != null) {
      out.name(packaging.getCodeLocation());
      out.name(packaging.getVersion());
    }
  }

  /**
   * Returns an element with what the text of the given one shows, since a new one shows all that it
   * has. The JDK does not tell whether class loader and module version are shown.
   */
  private static StackTraceElement shown(StackTraceElement frame) {
    String loader = frame.getClassLoaderName();
    String version = frame.getModuleVersion();
    if (loader == null && version == null) {
      return frame;
    }
    String text = frame.toString();
    for (int i = 0; i < 3; i++) {
      StackTraceElement like =
          new StackTraceElement(
              i == 1 ? loader : null,
              frame.getModuleName(),
              i == 2 ? version : null,
              frame.getClassName(),
              frame.getMethodName(),
              frame.getFileName(),
              frame.getLineNumber());
      if (text.equals(like.toString())) {
        return like;
      }
    }
    return frame;
  }

  static StackTraceElementProxy readFrame(Input in) {
    StackTraceElement frame =
        new StackTraceElement(
            in.name(), in.name(), in.name(), in.name(), in.name(), in.name(), (int) in.zigzag());
    StackTraceElementProxy proxy = new StackTraceElementProxy(frame);
    int packaging = in.u8();
    if (packaging != 0) {
      proxy.setClassPackagingData(new ClassPackagingData(in.name(), in.name(), packaging == 1));
    }
    return proxy;
  }

  /** A throwable read back: what layouts print of it, never the throwable itself. */
  private static final class Spilled implements IThrowableProxy {
    private String className = "[left out]";
    private String message;
    private String overridingMessage;
    private boolean cyclic;
    private int commonFrames;
    private StackTraceElementProxy[] frames = {};
    private IThrowableProxy[] suppressed = NONE;
    private IThrowableProxy cause;

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
