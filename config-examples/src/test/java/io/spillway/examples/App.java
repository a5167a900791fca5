package io.spillway.examples;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.LoggerFactory;

/**
 * An application: it logs through SLF4J, is configured by Logback itself, and is watched through
 * JMX. It does what it is told on standard input, and ends with it.
 */
final class App {
  static final String LONG = "long";
  static final String SHORT = "short";
  static final String SETTLE = "settle";

  /** There before the first logger is, as with an agent: the appenders register at once. */
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  private App() {}

  public static void main(String[] arguments) throws Exception {
    Traffic traffic = new Traffic(LoggerFactory.getLogger(App.class));
    answer("started", traffic);
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      String[] words = command.split(" ");
      switch (words[0]) {
        case LONG -> {
          traffic.logLong(Integer.parseInt(words[1]));
          await().atMost(Example.PATIENCE).until(() -> metric("RingUsed") == 0);
        }
        case SHORT -> traffic.log(Integer.parseInt(words[1]));
        case SETTLE ->
            await()
                .atMost(Example.PATIENCE)
                .until(() -> metric("Pending") == 0 && metric("ArchiveBacklogFiles") == 0);
        default -> throw new IllegalArgumentException(command);
      }
      answer(words[0], traffic);
    }
  }

  /** On standard error: standard output is for the log. */
  private static void answer(String command, Traffic traffic) throws Exception {
    System.err.println(AppJvm.ANSWER + command + " " + traffic.logged() + " " + metric("Spilled"));
  }

  private static long metric(String name) throws Exception {
    Set<ObjectName> names = SERVER.queryNames(new ObjectName("io.spillway:type=Appender,*"), null);
    return (Long) SERVER.getAttribute(names.iterator().next(), name);
  }
}
