package io.spillway.stress.watch;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The watched JVM, reached through the JDK's attach API, which starts its local management agent.
 * The agent listens on this machine alone and stays until the JVM ends.
 *
 * @param command its main class or jar
 */
public record Target(long pid, String command, JMXConnector connector) implements AutoCloseable {

  private static final String LISTS = "; ./spillway-stress watch lists those it can watch";

  /** A JVM that could be watched, with its main class or jar, and its arguments. */
  public record Jvm(long pid, String command) {}

  /** Returns the JVMs of this user that could be watched: all but this one, by process id. */
  public static List<Jvm> list() {
    long self = ProcessHandle.current().pid();
    return VirtualMachine.list().stream()
        .map(found -> new Jvm(Long.parseLong(found.id()), found.displayName()))
        .filter(jvm -> jvm.pid() != self)
        .sorted(Comparator.comparingLong(Jvm::pid))
        .toList();
  }

  /**
   * Connects to a JVM.
   *
   * @throws RefusedException if that is not possible; the message names the reason and the remedy
   */
  static Target connect(long pid) throws IOException {
    check(pid);
    VirtualMachine machine = attach(pid);
    try {
      String version = machine.getSystemProperties().getProperty("java.specification.version");
      if (version == null || Double.parseDouble(version) < 17) {
        throw refused(pid, " runs on Java " + version + "; watch needs 17 or newer");
      }
      String command = machine.getSystemProperties().getProperty("sun.java.command", "?");
      String address = machine.startLocalManagementAgent();
      return new Target(
          pid, command.split(" ")[0], JMXConnectorFactory.connect(new JMXServiceURL(address)));
    } finally {
      machine.detach();
    }
  }

  private static VirtualMachine attach(long pid) throws IOException {
    try {
      return VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException e) {
      String remedy =
          " refuses to be attached to (%s). Start it without -XX:+DisableAttachMechanism; if it is"
              + " stopped, let it go on (kill -CONT %d)";
      throw refused(pid, remedy.formatted(e.getMessage(), pid));
    } catch (IOException e) {
      String remedy = " cannot be attached to: %s. Run watch as the user that runs the process";
      throw refused(pid, remedy.formatted(e.getMessage()));
    }
  }

  /**
   * Refuses processes that cannot be watched. Attaching sends a signal that would end a process
   * that is no JVM, so only recognised JVMs are attached to.
   */
  private static void check(long pid) {
    if (pid == ProcessHandle.current().pid()) {
      throw refused(pid, " is this watcher itself; name another one");
    }
    ProcessHandle process =
        ProcessHandle.of(pid)
            .orElseThrow(() -> new RefusedException("there is no process " + pid + LISTS));
    Optional<String> owner = process.info().user();
    Optional<String> self = ProcessHandle.current().info().user();
    if (owner.isPresent() && !owner.equals(self) && !self.equals(Optional.of("root"))) {
      throw refused(pid, " belongs to user " + owner.get() + "; run watch as that user");
    }
    if (!isHotSpot(pid)) {
      throw refused(pid, " is not a HotSpot JVM" + LISTS);
    }
  }

  private static RefusedException refused(long pid, String why) {
    return new RefusedException("process " + pid + why);
  }

  /** Returns whether a process has mapped HotSpot, or is listed as a JVM where that is unknown. */
  private static boolean isHotSpot(long pid) {
    try {
      String maps = Files.readString(Path.of("/proc", Long.toString(pid), "maps"));
      return maps.contains("/libjvm.") && !maps.contains("/libj9vm");
    } catch (IOException e) {
      return list().stream().anyMatch(jvm -> jvm.pid() == pid);
    }
  }

  boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException gone) {
      // the process has ended, and the connection with it
    }
  }
}
