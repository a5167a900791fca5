package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ClassPackagingData;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/**
 * Writes and reads stack frames: what {@link StackTraceElement#toString()} shows of a frame, which
 * is less than the frame holds. The JDK does not tell whether an element shows its class loader and
 * module version, and a newly created element shows all that it has; therefore only what was shown
 * is kept.
 */
final class FrameCodec {
  private static final int ABSENT = 0;
  private static final int PRESENT = 1;
  private static final int LOADER = 1 << 1;
  private static final int MODULE = 1 << 2;
  private static final int VERSION = 1 << 3;
  private static final int PACKAGING = 1 << 4;
  private static final int EXACT = 1 << 5;
  private static final int KNOWN_FLAGS = (1 << 6) - 1;

  private FrameCodec() {}

  static void write(Output out, Dictionary.Writer dictionary, StackTraceElement frame) {
    write(out, dictionary, frame, null);
  }

  static void write(Output out, Dictionary.Writer dictionary, StackTraceElementProxy proxy) {
    if (proxy == null) {
      out.u8(ABSENT);
    } else {
      write(out, dictionary, proxy.getStackTraceElement(), proxy.getClassPackagingData());
    }
  }

  @SuppressWarnings("deprecation") // newer Logback deprecates packaging data and still prints it
  private static void write(
      Output out,
      Dictionary.Writer dictionary,
      StackTraceElement frame,
      ClassPackagingData packaging) {
    if (frame == null) {
      out.u8(ABSENT);
      return;
    }
    int flags = PRESENT | shown(frame);
    if (frame.getModuleName() != null) {
      flags |= MODULE;
    }
    if (packaging != null) {
      flags |= packaging.isExact() ? PACKAGING | EXACT : PACKAGING;
    }
    out.u8(flags);
    if ((flags & LOADER) != 0) {
      dictionary.name(frame.getClassLoaderName());
    }
    if ((flags & MODULE) != 0) {
      dictionary.name(frame.getModuleName());
    }
    if ((flags & VERSION) != 0) {
      dictionary.name(frame.getModuleVersion());
    }
    dictionary.name(frame.getClassName());
    dictionary.name(frame.getMethodName());
    dictionary.name(frame.getFileName());
    out.zigzag(frame.getLineNumber());
    if (packaging != null) {
      dictionary.name(packaging.getCodeLocation());
      dictionary.name(packaging.getVersion());
    }
  }

  private static int shown(StackTraceElement frame) {
    if (frame.getClassLoaderName() == null && frame.getModuleVersion() == null) {
      return 0;
    }
    String text = frame.toString();
    if (isPlain(text, frame) || text.equals(textWith(frame, 0))) {
      return 0;
    }
    if (text.equals(textWith(frame, LOADER))) {
      return LOADER;
    }
    return text.equals(textWith(frame, VERSION)) ? VERSION : LOADER | VERSION;
  }

  /**
   * Returns true if the text alone proves that neither class loader nor module version is shown, as
   * for most frames. A loader is shown in front, so that the first parenthesis would come later.
   */
  private static boolean isPlain(String text, StackTraceElement frame) {
    String loader = frame.getClassLoaderName();
    String module = frame.getModuleName();
    String name = frame.getClassName();
    String method = frame.getMethodName();
    int at = 0;
    if (module != null && !module.isEmpty()) {
      at = text.startsWith(module) ? module.length() + 1 : 0;
      if (at == 0 || !text.startsWith("/", at - 1)) {
        return false;
      }
    }
    return (loader == null || loader.indexOf('(') < 0)
        && text.startsWith(name, at)
        && text.startsWith(".", at + name.length())
        && text.startsWith(method, at + name.length() + 1)
        && text.startsWith("(", at + name.length() + 1 + method.length());
  }

  private static String textWith(StackTraceElement frame, int parts) {
    return new StackTraceElement(
            (parts & LOADER) != 0 ? frame.getClassLoaderName() : null,
            frame.getModuleName(),
            (parts & VERSION) != 0 ? frame.getModuleVersion() : null,
            frame.getClassName(),
            frame.getMethodName(),
            frame.getFileName(),
            frame.getLineNumber())
        .toString();
  }

  static StackTraceElement read(Input in, Dictionary.Reader dictionary) throws CodecException {
    int flags = flags(in);
    if ((flags & PACKAGING) != 0) {
      throw new CodecException("packaging data on a caller frame");
    }
    return flags == ABSENT ? null : frame(in, dictionary, flags);
  }

  @SuppressWarnings("deprecation")
  static StackTraceElementProxy readProxy(Input in, Dictionary.Reader dictionary)
      throws CodecException {
    int flags = flags(in);
    if (flags == ABSENT) {
      return null;
    }
    StackTraceElementProxy proxy = new StackTraceElementProxy(frame(in, dictionary, flags));
    if ((flags & PACKAGING) != 0) {
      String location = dictionary.name();
      boolean exact = (flags & EXACT) != 0;
      proxy.setClassPackagingData(new ClassPackagingData(location, dictionary.name(), exact));
    }
    return proxy;
  }

  private static int flags(Input in) throws CodecException {
    int flags = in.u8();
    boolean known = (flags & ~KNOWN_FLAGS) == 0 && (flags == ABSENT || (flags & PRESENT) != 0);
    if (!known) {
      throw new CodecException("unknown frame flags " + flags);
    }
    return flags;
  }

  private static StackTraceElement frame(Input in, Dictionary.Reader dictionary, int flags)
      throws CodecException {
    String loader = (flags & LOADER) != 0 ? dictionary.name() : null;
    String module = (flags & MODULE) != 0 ? dictionary.name() : null;
    String version = (flags & VERSION) != 0 ? dictionary.name() : null;
    String className = dictionary.presentName();
    String method = dictionary.presentName();
    String file = dictionary.name();
    long line = in.zigzag();
    if (line != (int) line) {
      throw new CodecException("line number " + line);
    }
    return new StackTraceElement(loader, module, version, className, method, file, (int) line);
  }
}
