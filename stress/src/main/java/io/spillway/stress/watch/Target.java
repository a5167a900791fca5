package io.spillway.stress.watch;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.spillway.stress.report.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * The JVM that is watched, by the JDK's attach API. It is asked diagnostic commands, as {@code
 * jcmd} does, and gets no agent. The API has no public method for that; its implementation has, in
 * a package that {@code Add-Exports} in the jar's manifest opens.
 */
final class Target implements AutoCloseable {

  private static final int BUFFER_BYTES = 8192;

  private final long pid;
  private final VirtualMachine machine;
  private final Method command;

  private Target(long pid, VirtualMachine machine, Method command) {
    this.pid = pid;
    this.machine = machine;
    this.command = command;
  }

  /**
   * Attaches to a JVM.
   *
   * @throws RefusedException if that is not possible; names the reason and the remedy
   */
  static Target attach(long pid) throws IOException {
    TargetCheck.check(pid);
    VirtualMachine machine = open(pid);
    try {
      return new Target(pid, machine, machine.getClass().getMethod("executeJCmd", String.class));
    } catch (NoSuchMethodException e) {
      machine.detach();
      throw new RefusedException(
          "this Java ("
              + System.getProperty("java.vm.name")
              + ") cannot send diagnostic commands; run watch with a HotSpot JDK, 17 or newer");
    }
  }

  private static VirtualMachine open(long pid) throws IOException {
    try {
      return VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException e) {
      throw new RefusedException(
          "process "
              + pid
              + " refuses to be attached to ("
              + e.getMessage()
              + "). Start it without -XX:+DisableAttachMechanism; if it is stopped or hangs, let it"
              + " go on");
    } catch (IOException e) {
      if (ProcessHandle.of(pid).isEmpty()) {
        throw new RefusedException(TargetCheck.noProcess(pid));
      }
      throw new RefusedException(
          "process "
              + pid
              + " cannot be attached to: "
              + e.getMessage()
              + ". Run watch as the user that runs the process");
    }
  }

  long pid() {
    return pid;
  }

  /** Its system properties. */
  Properties properties() throws IOException {
    return machine.getSystemProperties();
  }

  /** Whether the process is still there; one that is about to end is given a moment to do so. */
  boolean alive() {
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    try {
      process.ifPresent(running -> running.onExit().orTimeout(1, TimeUnit.SECONDS).join());
      return false;
    } catch (CompletionException e) {
      return true;
    }
  }

  /**
   * Carries out a diagnostic command and returns what it says.
   *
   * @throws IOException if the command is unknown or fails, or the process has ended
   */
  synchronized String ask(String line) throws IOException {
    try (InputStream in = (InputStream) command.invoke(machine, line)) {
      // Not readAllBytes(): on JDK 17 it stops at 4096 bytes, and the target then waits for ever.
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int n = in.read(buffer, 0, BUFFER_BYTES); n >= 0; n = in.read(buffer, 0, BUFFER_BYTES)) {
        text.write(buffer, 0, n);
      }
      return text.toString(StandardCharsets.UTF_8);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (IllegalAccessException e) {
      throw new RefusedException(
          "the attach API is closed to this program. Start it by ./spillway-stress or java -jar, or"
              + " add --add-exports jdk.attach/sun.tools.attach=ALL-UNNAMED");
    }
  }

  @Override
  public void close() throws IOException {
    machine.detach();
  }
}
