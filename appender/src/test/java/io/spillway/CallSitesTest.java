package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A call site of a lambda, a string concatenation or a record's methods is linked when it is first
 * met. If there is no memory for that, the JVM remembers the failure and throws it there for ever.
 * So workers and log calls meet none but those that constructors have linked when the appender
 * started.
 */
public class CallSitesTest {
  private static final Pattern METHOD =
      Pattern.compile("  \\S.*?([\\w$.<>]+)\\(.*|  static \\{}.*");
  private static final Pattern COMPARISON =
      Pattern.compile("InvokeDynamic #\\d+:(?:equals|hashCode):\\(");
  private static final Pattern COMPARING =
      Pattern.compile("Method (io/spillway/[\\w/$]+)\\.(?:equals|hashCode):\\(");
  private static final List<String> WORKING =
      List.of(
          "PublishGate",
          "Acknowledgement",
          "Backoff",
          "SpillOpener",
          "rolling/",
          "internal/ring/",
          "internal/route/",
          "internal/codec/",
          "internal/sink/",
          "internal/disk/",
          "internal/compress/",
          "internal/spill/",
          "internal/metrics/(Reports|StatusThread|DetachedThread|Counters|Pulse|PendingAge|Episode"
              + "|Onlook|Flight|Jfr)");

  /** Methods of the start, of the stop, and of tools. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "route/Route.<init>",
          "codec/ThrowableCodec$Writer.lambda$static",
          "compress/Archiver.await",
          "rolling/FixedWindowRollingPolicy.indices",
          "rolling/Refusals",
          "rolling/Site$Check",
          "rolling/Site$Texts",
          "rolling/TimeBasedRollingPolicy.begin",
          "rolling/TimeBasedRollingPolicy.lambda$sizeOf",
          "rolling/TimeBasedRollingPolicy.sizeOf",
          "spill/Spill.of",
          "spill/SpillSlots.take",
          "spill/SpillInspection");

  @Test
  void shouldBeLinkedWhenTheAppenderStarts() throws Exception {
    Set<String> late = new TreeSet<>();
    disassembled(CallSitesTest::isWorking)
        .forEach((name, text) -> late.addAll(callSites(name, text)));
    late.removeIf(site -> ELSEWHERE.stream().anyMatch(site::contains));
    assertThat(late).isEmpty();
  }

  /**
   * The JDK remembers the class of the record whose own comparison it linked last, and with it the
   * class loader of an application that is gone. Sees calls by the record's type, not those of
   * collections.
   */
  @Test
  void shouldNotBeThoseOfARecordsComparison() throws Exception {
    Map<String, String> texts = disassembled(name -> true);
    Set<String> generated = new TreeSet<>();
    texts.forEach(
        (name, text) -> COMPARISON.matcher(text).results().forEach(m -> generated.add(name)));
    Set<String> called = new TreeSet<>();
    texts.forEach(
        (name, text) ->
            COMPARING
                .matcher(text)
                .results()
                .filter(call -> generated.contains(call.group(1)))
                .forEach(call -> called.add(name + " compares " + call.group(1))));
    assertThat(generated).isNotEmpty();
    assertThat(called).isEmpty();
  }

  /** Names of the classes of workers and log calls that run code when they are first used. */
  public static Set<String> withInitializers() throws Exception {
    Map<String, String> texts = disassembled(CallSitesTest::isWorking);
    texts.values().removeIf(text -> !text.contains("  static {};"));
    return texts.keySet();
  }

  private static boolean isWorking(String name) {
    return WORKING.stream().anyMatch(part -> name.matches("io/spillway/" + part + ".*"));
  }

  /** Methods that have some and are no constructor. */
  private static Set<String> callSites(String className, String disassembled) {
    String name = className.replaceAll("io/spillway/(internal/)?", "");
    String simple = name.replaceAll(".*/", "");
    Set<String> found = new TreeSet<>();
    String method = "";
    for (String line : disassembled.split("\n")) {
      Matcher header = METHOD.matcher(line);
      if (header.matches()) {
        method = header.group(1) == null ? "static" : header.group(1).replaceAll(".*\\.", "");
      } else if (line.contains(" invokedynamic ")
          && !method.equals("static")
          && !method.equals(simple)
          && !line.matches(".*InvokeDynamic #\\d+:(toString|hashCode|equals):.*")) {
        found.add(name + "." + method);
      }
    }
    return found;
  }

  /** Texts of chosen classes by their names with slashes; in one run, as each takes its time. */
  private static Map<String, String> disassembled(Predicate<String> chosen) throws Exception {
    Path classes =
        Path.of(PublishGate.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> names;
    try (Stream<Path> files = Files.walk(classes.resolve("io/spillway"))) {
      names =
          files
              .map(file -> classes.relativize(file).toString())
              .filter(file -> file.endsWith(".class"))
              .map(file -> file.substring(0, file.length() - ".class".length()))
              .filter(chosen)
              .toList();
    }
    StringWriter out = new StringWriter();
    Stream<String> files = names.stream().map(name -> classes.resolve(name + ".class").toString());
    int failed =
        ToolProvider.findFirst("javap")
            .orElseThrow()
            .run(
                new PrintWriter(out),
                new PrintWriter(out),
                Stream.concat(Stream.of("-p", "-c"), files).toArray(String[]::new));
    assertThat(failed).as(() -> out.toString()).isZero();
    List<String> texts = List.of(out.toString().split("(?m)^Compiled from .*\n"));
    assertThat(texts)
        .as("one of each, behind what comes before the first")
        .hasSize(names.size() + 1);
    Map<String, String> byName = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      byName.put(names.get(i), texts.get(i + 1));
    }
    return byName;
  }
}
