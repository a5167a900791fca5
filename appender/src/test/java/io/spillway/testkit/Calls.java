package io.spillway.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What a method calls, in the order of its code, and where it catches what these calls throw. */
public final class Calls extends MethodVisitor {
  private final String name;
  private final List<String> calls = new ArrayList<>();
  private final Map<Label, Integer> callsBefore = new HashMap<>();
  private final List<Handler> handlers = new ArrayList<>();

  private record Handler(Label start, Label end, Label code, String type) {}

  private Calls(String name) {
    super(Opcodes.ASM9);
    this.name = name;
  }

  /** Those of all methods of a class. */
  public static List<Calls> of(Class<?> type) {
    List<Calls> methods = new ArrayList<>();
    ClassVisitor visitor =
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            Calls calls = new Calls(name + descriptor);
            methods.add(calls);
            return calls;
          }
        };
    String file = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      new ClassReader(in).accept(visitor, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return methods;
  }

  /** With its descriptor. */
  public String name() {
    return name;
  }

  /** Owners and names of what is called, with slashes. */
  public List<String> all() {
    return calls;
  }

  /** Places of the calls of one method. */
  public List<Integer> named(String owner) {
    return IntStream.range(0, calls.size())
        .filter(call -> calls.get(call).equals(owner))
        .boxed()
        .toList();
  }

  /** Whether what a call throws is caught. */
  public boolean caught(int call, String type) {
    return handlers.stream()
        .filter(handler -> handler.type != null && handler.type.equals(type))
        .anyMatch(handler -> callsBefore.get(handler.start) <= call && isBefore(call, handler.end));
  }

  /**
   * Whether a finally that comes to one of other calls follows, whatever is thrown behind a call,
   * which may be the last thing before its try.
   */
  public boolean isFollowedBy(int call, List<Integer> others) {
    return handlers.stream()
        .filter(handler -> handler.type == null)
        .filter(handler -> callsBefore.get(handler.start) <= call + 1)
        .filter(handler -> isBefore(call, handler.end))
        .anyMatch(handler -> others.stream().anyMatch(it -> !isBefore(it, handler.code)));
  }

  private boolean isBefore(int call, Label label) {
    return call < callsBefore.get(label);
  }

  @Override
  public void visitLabel(Label label) {
    callsBefore.put(label, calls.size());
  }

  @Override
  public void visitTryCatchBlock(Label start, Label end, Label code, String type) {
    handlers.add(new Handler(start, end, code, type));
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String called, String descriptor, boolean isInterface) {
    calls.add(owner + "." + called);
  }
}
