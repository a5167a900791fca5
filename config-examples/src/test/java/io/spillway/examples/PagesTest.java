package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.util.PropertySetter;
import ch.qos.logback.core.joran.util.beans.BeanDescriptionCache;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.AggregationType;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.flow.FlowConfig.Acknowledge;
import io.spillway.internal.flow.FlowConfig.WhenFull;
import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeAndTimeBasedRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.rolling.TimeBasedRollingPolicy;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.logstash.logback.appender.LoggingEventAsyncDisruptorAppender;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.filefilter.FileFilterUtils;
import org.apache.commons.io.filefilter.NameFileFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages name what there is: settings, values, metrics, and each other. */
class PagesTest {
  private static final Path PROJECT = Path.of("..");
  private static final String WORD = "[a-zA-Z]{3,}|[A-Z_]{3,}";
  private static final String SETTING = "[a-z][a-zA-Z]+=[\\w ]+";
  private static final Set<String> OF_OTHERS =
      Set.of("main", "true", "false", "LC_ALL", "AsyncAppender", "RollingFileAppender");
  private static final Set<String> VALUES =
      Set.of("OVERFLOW", "ALWAYS", "TRACE", "DEBUG", "INFO", "WARN", "ERROR");
  private static final int OTHERS = 0;
  private static final int OURS = 1;

  private final LoggerContext context = new LoggerContext();
  @TempDir Path directory;

  static Stream<Path> all() {
    return FileUtils.listFiles(
            PROJECT.toFile(),
            FileFilterUtils.suffixFileFilter(".md"),
            FileFilterUtils.notFileFilter(new NameFileFilter("target", ".git", "spillway-results")))
        .stream()
        .map(File::toPath);
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldLinkToWhatIsThere(Path file) throws Exception {
    for (String link : Page.of(file).links()) {
      URI target = file.toAbsolutePath().toUri().resolve(link);
      if (target.getScheme().equals("file")) {
        Path linked = Path.of(target.getPath());
        assertThat(linked).as(link).exists();
        if (target.getFragment() != null) {
          assertThat(Page.of(linked).anchors()).as(link).contains(target.getFragment());
        }
      }
    }
  }

  /** So many words that a newcomer reads each page to its end. */
  @ParameterizedTest
  @CsvSource({
    "README.md, 800",
    "CONFIGURATION.md, 2200",
    "GUARANTEES.md, 1400",
    "OPERATIONS.md, 2600",
    "MIGRATION.md, 900",
    "CONTRIBUTING.md, 700",
    "appender/DESIGN.md, 1700",
    "appender/PROMISES.md, 600",
    "CHANGELOG.md SECURITY.md, 400",
    "config-examples/README.md, 700",
    "config-examples/kubernetes/README.md config-examples/spring-boot/README.md, 500"
  })
  void shouldBeShort(String files, int most) throws Exception {
    int words = 0;
    for (String file : files.split(" ")) {
      words += words(Files.readString(PROJECT.resolve(file)));
    }
    assertThat(words).isLessThanOrEqualTo(most);
  }

  @Test
  void shouldBeShortTogether() throws Exception {
    int words = 0;
    for (Path file : all().toList()) {
      words += words(Files.readString(file));
    }
    assertThat(words).isLessThanOrEqualTo(16_000);
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldHaveShortSentencesAndCells(Path file) throws Exception {
    Page page = Page.of(file);
    assertThat(page.cells()).filteredOn(cell -> words(cell) > 40).isEmpty();
    assertThat(Stream.concat(page.paragraphs().stream(), page.cells().stream()))
        .flatMap(text -> List.of(text.split("(?<=[.?!])\\s+")))
        .filteredOn(sentence -> words(sentence) > 35)
        .isEmpty();
  }

  private static int words(String text) {
    return text.trim().split("\\s+").length;
  }

  /** Files to copy, in a folder each; alerts_test.yml is for the build alone. */
  static Stream<Path> examples() throws Exception {
    try (Stream<Path> files = Files.find(Path.of(""), 2, (file, attributes) -> isToCopy(file))) {
      return files.toList().stream();
    }
  }

  private static boolean isToCopy(Path file) {
    String name = file.getFileName().toString();
    return file.getNameCount() == 2
        && name.matches(".+\\.(xml|yaml|yml|conf|logrotate|json)")
        && !List.of("pom.xml", "alerts_test.yml").contains(name);
  }

  /** In the index, or on the folder's page, to which the index leads then. */
  @ParameterizedTest
  @MethodSource("examples")
  void shouldListEachExample(Path file) throws Exception {
    List<String> links = new ArrayList<>(Page.of(Path.of("README.md")).links());
    Path page = file.resolveSibling("README.md");
    if (links.contains(page.toString())) {
      Page.of(page).links().forEach(link -> links.add(file.resolveSibling(link).toString()));
    }
    assertThat(links).contains(file.toString());
  }

  /** A configuration explains itself, as it has no page. */
  @ParameterizedTest
  @MethodSource("examples")
  void shouldExplainItself(Path file) throws Exception {
    if (!file.toString().endsWith(".json")) {
      assertThat(Files.readString(file)).containsAnyOf("<!--", "# ");
    }
  }

  @Test
  void shouldNameSettingsOfTheAppendersThatAreLeft() throws Exception {
    Map<String, Object> left =
        Map.of(
            AsyncAppender.class.getName(), new AsyncAppender(),
            RollingFileAppender.class.getName(), new RollingFileAppender<>(),
            LoggingEventAsyncDisruptorAppender.class.getSimpleName(),
                new LoggingEventAsyncDisruptorAppender());
    List<Page.Span> spans =
        Page.of(PROJECT.resolve("MIGRATION.md")).spans().stream()
            .filter(span -> span.column() == OTHERS && left.containsKey(span.section()))
            .filter(span -> span.text().matches(WORD) && !isValue(span.text()))
            .toList();
    assertThat(spans).extracting(Page.Span::section).containsAll(left.keySet());
    assertThat(spans).allMatch(span -> isSetting(span.text(), left.get(span.section())));
  }

  private static boolean isValue(String text) {
    return text.equals("true") || text.equals("false");
  }

  @Test
  void shouldMoveToWhatSpillwayHas() throws Exception {
    assertNamesExist(PROJECT.resolve("MIGRATION.md"), span -> span.column() == OURS);
  }

  /** Nobody else would go on with what a stop has left. */
  @Test
  void shouldNotGoBackBeforeAllIsDeliveredAndArchived() throws Exception {
    assertThat(Page.of(PROJECT.resolve("MIGRATION.md")).spans())
        .filteredOn(span -> span.section().equals("Going back"))
        .extracting(Page.Span::text)
        .contains("*.events", "*.bytes")
        .contains("LeftoverBytes", "Pending", "ArchiveBacklogFiles")
        .filteredOn(text -> text.matches(WORD))
        .allMatch(this::isOurs, "a name of ours");
  }

  /** Other tests compare fields of flight recorder events and names of alerts. */
  @ParameterizedTest
  @ValueSource(strings = {"CONFIGURATION.md", "GUARANTEES.md", "OPERATIONS.md"})
  void shouldNameWhatSpillwayHas(String file) throws Exception {
    assertNamesExist(
        PROJECT.resolve(file),
        span ->
            !List.of("Flight recorder", "Alerts").contains(span.section())
                && !OF_OTHERS.contains(span.text()));
  }

  /** Words are names, "name=value" is a setting that the appender takes. */
  private void assertNamesExist(Path file, Predicate<Page.Span> ours) throws Exception {
    List<String> spans =
        Page.of(file).spans().stream().filter(ours).map(Page.Span::text).distinct().toList();
    List<String> words = spans.stream().filter(text -> text.matches(WORD)).toList();
    List<String> settings = spans.stream().filter(text -> text.matches(SETTING)).toList();

    assertThat(words).isNotEmpty().allMatch(this::isOurs, "a name of ours");
    assertThat(settings).isNotEmpty().allSatisfy(this::assertTaken);
  }

  private boolean isOurs(String word) {
    return isMetric(word) || isConstant(word) || isClass(word) || isSettingOfOurs(word);
  }

  private static boolean isMetric(String word) {
    return SpillwayMetrics.descriptions().containsKey(word);
  }

  private static boolean isConstant(String word) {
    return VALUES.contains(word)
        || Stream.of(
                LossCause.values(), WhenFull.values(), Acknowledge.values(), Health.Status.values())
            .flatMap(Arrays::stream)
            .anyMatch(constant -> constant.name().equals(word));
  }

  private static boolean isClass(String word) {
    return parts().map(part -> part.getClass().getSimpleName()).anyMatch(word::equals);
  }

  private boolean isSettingOfOurs(String word) {
    return parts().anyMatch(part -> isSetting(word, part));
  }

  private static Stream<Object> parts() {
    return Stream.of(
        new SpillwayAppender(),
        new SpillwayRollingFileAppender<>(),
        new FixedWindowRollingPolicy(),
        new TimeBasedRollingPolicy<>(),
        new SizeAndTimeBasedRollingPolicy<>(),
        new SizeBasedTriggeringPolicy<>());
  }

  private boolean isSetting(String name, Object part) {
    PropertySetter setter = new PropertySetter(new BeanDescriptionCache(context), part);
    return setter.computeAggregationType(name) != AggregationType.NOT_FOUND;
  }

  private void assertTaken(String setting) throws Exception {
    String[] pair = setting.split("=");
    String appender =
        """
        <configuration>
          <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
            <file>%2$s/app.log</file>
            <%1$s>%3$s</%1$s>
            <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
              <fileNamePattern>%2$s/app.%%d.log.gz</fileNamePattern>
            </rollingPolicy>
            <encoder><pattern>%%m%%n</pattern></encoder>
          </appender>
          <root><appender-ref ref="FILE"/></root>
        </configuration>
        """
            .formatted(pair[0], directory, pair[1]);
    LoggerContext loaded = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(loaded);
    try {
      configurator.doConfigure(new ByteArrayInputStream(appender.getBytes(StandardCharsets.UTF_8)));
      assertThat(loaded.getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getLevel() > Status.INFO)
          .isEmpty();
    } finally {
      loaded.stop();
    }
  }
}
