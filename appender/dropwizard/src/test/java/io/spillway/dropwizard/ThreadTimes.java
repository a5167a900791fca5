package io.spillway.dropwizard;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Processor time that the threads of a JVM have taken, by what they are there for, in microseconds;
 * the kernel's part, which no profiler of Java code sees, once more by itself. Read from Linux's
 * {@code /proc/<pid>/task/<tid>/stat}, which counts in hundredths of a second; empty elsewhere.
 */
final class ThreadTimes {
  private static final String KERNEL = ", in the kernel";
  private static final double MICROS_PER_TICK = 10_000;

  /** Beginnings of thread names, of which the kernel keeps fifteen characters. */
  private static final Map<String, Pattern> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("requests", Pattern.compile("dw-.*"));
    GROUPS.put("log threads", Pattern.compile("(?i)(spillway|async|logback).*"));
    GROUPS.put("collector", Pattern.compile("(G1|GC|VM Thread).*"));
    GROUPS.put("compiler", Pattern.compile("C[12] Comp.*"));
    GROUPS.put("other", Pattern.compile(".*"));
  }

  private final Map<String, Double> micros = new LinkedHashMap<>();

  private ThreadTimes() {}

  static ThreadTimes of(long pid) throws IOException {
    ThreadTimes times = new ThreadTimes();
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    if (Files.isDirectory(tasks)) {
      try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
        for (Path thread : threads) {
          times.addThread(thread.resolve("stat"));
        }
      }
    }
    return times;
  }

  /** {@code 1234 (name with spaces) S ...}; times are the fields 14 and 15. */
  private void addThread(Path stat) throws IOException {
    String line;
    try {
      line = Files.readString(stat);
    } catch (NoSuchFileException e) {
      return; // ended
    }
    int nameEnd = line.lastIndexOf(')');
    String name = line.substring(line.indexOf('(') + 1, nameEnd);
    String[] fields = line.substring(nameEnd + 2).split(" ");
    double user = Long.parseLong(fields[11]) * MICROS_PER_TICK;
    double kernel = Long.parseLong(fields[12]) * MICROS_PER_TICK;
    String group =
        GROUPS.entrySet().stream()
            .filter(entry -> entry.getValue().matcher(name).matches())
            .findFirst()
            .orElseThrow()
            .getKey();
    micros.merge(group, user + kernel, Double::sum);
    micros.merge(group + KERNEL, kernel, Double::sum);
  }

  /** What was taken since an earlier look, of each group, for each of so many requests. */
  Map<String, Double> since(ThreadTimes earlier, long requests) {
    Map<String, Double> taken = new LinkedHashMap<>();
    micros.forEach(
        (group, now) ->
            taken.put(group, (now - earlier.micros.getOrDefault(group, 0.0)) / requests));
    return taken;
  }

  /** Of all threads together, of what {@link #since} returns. */
  static double total(Map<String, Double> taken) {
    return GROUPS.keySet().stream().mapToDouble(group -> taken.getOrDefault(group, 0.0)).sum();
  }
}
