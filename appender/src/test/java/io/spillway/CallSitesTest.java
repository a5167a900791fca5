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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A call site of a lambda, a string concatenation or a record's methods is linked when it is first
 * met. If there is no memory for that, the JVM remembers the failure and throws it there for ever.
 * So workers and log calls meet none but those that constructors have linked when the appender
 * started.
 */
@Tag("shared")
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
          "internal/metrics/(Reports|StatusThread|Counters|Pulse|PendingAge|LossWatch|Episode)");

  /** Methods of the start, of the stop, and of tools. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "ring/EventRing.ofSlots",
          "ring/PatternBatcher.compile",
          "ring/PatternPiece$Remembered.uses",
          "route/Route.<init>",
          "codec/ThrowableCodec$Writer.lambda$static",
          "compress/Archiver.await",
          "rolling/ArchivingPolicy.addStatus", // a start tells something
          "rolling/FixedWindowRollingPolicy.indices",
          "rolling/NameClaim.claimsIn",
          "rolling/ArchivePattern$Tokens.hasDate",
          "rolling/ArchivePattern$Tokens.hasIndex",
          "rolling/Refusals",
          "rolling/Site$Check",
          "rolling/Site$Texts",
          "rolling/SizeBasedTriggeringPolicy.addStatus", // of a start alone
          "rolling/TimeBasedRollingPolicy.begin",
          "rolling/TimeBasedRollingPolicy.lambda$sizeOf",
          "rolling/TimeBasedRollingPolicy.sizeOf",
          "spill/Spill.of",
          "spill/Spill.open",
          "spill/SpillSlots.take",
          "spill/SpillInspection");

  @Test
  void shouldBeLinkedWhenTheAppenderStarts() throws Exception {
    Set<String> late = new TreeSet<>();
    for (Path file : working()) {
      late.addAll(callSites(file));
    }
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
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> files = Files.walk(classes().resolve("io/spillway"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        texts.put(
            file.toString().replaceAll(".*/(io/spillway/.*)\\.class", "$1"), disassembled(file));
      }
    }
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
    Set<String> names = new TreeSet<>();
    for (Path file : working()) {
      if (disassembled(file).contains("  static {};")) {
        names.add(file.toString().replaceAll(".*/(io/spillway/.*)\\.class", "$1"));
      }
    }
    return names;
  }

  private static Path classes() throws Exception {
    return Path.of(PublishGate.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static List<Path> working() throws Exception {
    try (Stream<Path> files = Files.walk(classes().resolve("io/spillway"))) {
      return files.filter(CallSitesTest::isWorking).toList();
    }
  }

  private static boolean isWorking(Path file) {
    return WORKING.stream()
        .anyMatch(part -> file.toString().matches(".*/io/spillway/" + part + ".*\\.class"));
  }

  /** Methods that have some and are no constructor. */
  private static Set<String> callSites(Path file) {
    String name = file.toString().replaceAll(".*/io/spillway/(internal/)?|\\.class", "");
    String simple = name.replaceAll(".*/", "");
    Set<String> found = new TreeSet<>();
    String method = "";
    for (String line : disassembled(file).split("\n")) {
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

  private static String disassembled(Path file) {
    StringWriter out = new StringWriter();
    int failed =
        ToolProvider.findFirst("javap")
            .orElseThrow()
            .run(new PrintWriter(out), new PrintWriter(out), "-p", "-c", file.toString());
    assertThat(failed).as(() -> out.toString()).isZero();
    return out.toString();
  }
}
