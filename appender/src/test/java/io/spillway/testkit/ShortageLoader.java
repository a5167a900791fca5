package io.spillway.testkit;

import io.spillway.SpillwayAppender;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads Spillway's classes so that memory may be short for them ({@link Shortage}): where they
 * allocate, where they call other code that may do so, and behind each operation on files. Tests
 * are loaded as they are, what is not Spillway's is left to the parent.
 */
public final class ShortageLoader extends ClassLoader {
  private static final String SHORTAGE = "io/spillway/testkit/Shortage";
  private static final URL PRODUCTION =
      SpillwayAppender.class.getProtectionDomain().getCodeSource().getLocation();

  /** Of these no method allocates that is called here. */
  private static final List<String> FREE_OWNERS =
      List.of(
          "java/util/concurrent/atomic/Atomic",
          "java/util/concurrent/locks/LockSupport",
          "java/lang/Object",
          "java/lang/Math",
          "java/lang/System",
          "java/lang/Enum",
          "java/util/Objects",
          "java/util/zip/CRC32C",
          "com/lmax/disruptor/");

  /** Nor do these, whoever has them. */
  private static final Set<String> FREE_NAMES =
      Set.of(
          "<init>",
          "ordinal",
          "length",
          "charAt",
          "isEmpty",
          "equals",
          "hashCode",
          "size",
          "get",
          "hasNext",
          "next",
          "peek",
          "poll",
          "remove",
          "currentThread",
          "isAlive",
          "getState",
          "interrupted",
          "fill",
          "isArray",
          "getClass",
          "getPlain",
          "sum",
          "set",
          "clear",
          "toInt",
          "toNanos",
          "toMillis",
          "holdsLock",
          "onSpinWait",
          "yield",
          "getName",
          "getContextClassLoader",
          "setContextClassLoader");

  private static final Set<String> IN_PARENT =
      Set.of(ShortageLoader.class.getName(), Shortage.class.getName());

  private static final List<String> FILES =
      List.of("java/nio/file/Files", "java/nio/channels/", "java/io/");

  public ShortageLoader() {
    super(SpillwayAppender.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.spillway.") || IN_PARENT.contains(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    URL found = getParent().getResource(file);
    if (found == null) {
      throw new ClassNotFoundException(name);
    }
    try (InputStream in = found.openStream()) {
      byte[] bytes = in.readAllBytes();
      boolean ofTests = !found.toString().contains(PRODUCTION.getPath());
      byte[] used = ofTests ? bytes : rewritten(name, bytes);
      return defineClass(name, used, 0, used.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] rewritten(String name, byte[] original) {
    ClassReader reader = new ClassReader(original);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    boolean timed = name.endsWith(".Watchdog"); // its ticks are those of the JVM
    reader.accept(new Rewriting(writer, !timed, name), 0);
    return writer.toByteArray();
  }

  private static final class Rewriting extends ClassVisitor {
    private final boolean fast;
    private final String type;

    Rewriting(ClassVisitor next, boolean fast, String type) {
      super(Opcodes.ASM9, next);
      this.fast = fast;
      this.type = type;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new Places(next, fast, !name.equals("<clinit>"), type + "." + name);
    }
  }

  private static final class Places extends MethodVisitor {
    private final boolean fast;
    private final boolean mayBeShort;
    private final String method;
    private int line;

    Places(MethodVisitor next, boolean fast, boolean mayBeShort, String method) {
      super(Opcodes.ASM9, next);
      this.fast = fast;
      this.mayBeShort = mayBeShort;
      this.method = method;
    }

    private void place(String what) {
      if (mayBeShort) {
        super.visitLdcInsn(Shortage.place(method + ":" + line + " " + what));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, SHORTAGE, "at", "(I)V", false);
      }
    }

    @Override
    public void visitLineNumber(int number, Label start) {
      line = number;
      super.visitLineNumber(number, start);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, type);
      if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
        place(type); // behind it, since a frame's uninitialized object is known by where NEW is
      }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
      if (opcode == Opcodes.NEWARRAY) {
        place("array");
      }
      super.visitIntInsn(opcode, operand);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
      place(descriptor);
      super.visitMultiANewArrayInsn(descriptor, dimensions);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... bootstrapArguments) {
      place(name);
      Object[] arguments = bootstrapArguments.clone();
      for (int i = 0; i < arguments.length; i++) {
        if (arguments[i] instanceof Handle handle && isTime(handle.getOwner(), handle.getName())) {
          arguments[i] =
              new Handle(
                  Opcodes.H_INVOKESTATIC, SHORTAGE, handle.getName(), handle.getDesc(), false);
        }
      }
      super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (fast && isTime(owner, name)) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, SHORTAGE, name, descriptor, false);
        return;
      }
      boolean files = FILES.stream().anyMatch(owner::startsWith) && !name.equals("<init>");
      if (files || mayAllocate(owner, name)) {
        place("before " + owner + "." + name);
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (files) {
        place("behind " + owner + "." + name);
      }
    }

    private static boolean isTime(String owner, String name) {
      return owner.startsWith("java/") && (name.equals("nanoTime") || name.equals("parkNanos"));
    }

    private static boolean mayAllocate(String owner, String name) {
      return !owner.startsWith("io/spillway/")
          && !FREE_NAMES.contains(name)
          && FREE_OWNERS.stream().noneMatch(owner::startsWith);
    }
  }
}
