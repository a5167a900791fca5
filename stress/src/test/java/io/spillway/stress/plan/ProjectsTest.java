package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole trials of the configurations of well-known projects, unedited. They are not copied: {@code
 * projects.json} has where each is and what it asks for. It is read from the directory that the
 * system property {@code spillway.projects} names, as {@code OWNER/NAME/PATH}, else from the
 * project's repository; a test is skipped if neither can be read.
 */
@Tag("full")
class ProjectsTest {
  private static final Path PROJECTS = Path.of("src/test/resources/strangers/projects.json");
  private static final String JARS = "target/strangers/*";
  private static final int SMALL = 4 << 20;
  private static final int TIMEOUT_MILLIS = 10_000;

  /**
   * No promise about waits and latency: what is tested is the harness. Not even all threads that
   * wait all the time, for a lock of Logback's on a busy machine, break a limit.
   */
  private static final Judge.Limits LIMITS = new Judge.Limits(SmallRun.THREADS * 60, 60_000, 0);

  @TempDir Path directory;

  /**
   * A project's configuration.
   *
   * @param classPath besides Spring Boot's, or null
   * @param discards whether it has an AsyncAppender that discards events when it is 80 % full
   * @param appender that is watched
   * @param refused what is said if no trial can be made of it, or null
   */
  record Project(
      String repository,
      String commit,
      String path,
      String license,
      String classPath,
      Map<String, String> properties,
      List<String> profiles,
      Map<String, String> mdc,
      String logger,
      boolean discards,
      String appender,
      String refused) {

    @Override
    public String toString() {
      return repository;
    }
  }

  static Stream<Project> projects() throws IOException {
    return Stream.of(new ObjectMapper().readValue(PROJECTS.toFile(), Project[].class));
  }

  @ParameterizedTest
  @MethodSource("projects")
  void shouldRunItUnedited(Project project) throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));
    Path configuration = configuration(project);
    UserConfiguration asked =
        new UserConfiguration(
            configuration,
            home,
            Stream.of(project.classPath, JARS).filter(Objects::nonNull).map(Path::of).toList(),
            Objects.requireNonNullElse(project.properties, Map.of()),
            Objects.requireNonNullElse(project.logger, LogLine.LOGGER),
            0,
            null,
            SMALL,
            SMALL,
            new UserConfiguration.Surroundings(
                Objects.requireNonNullElse(project.profiles, List.of()),
                Objects.requireNonNullElse(project.mdc, Map.of()),
                false));
    RunOptions options = new SmallRun(directory.resolve("out")).limits(LIMITS).options();
    if (project.refused != null) {
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> asked.trial("project", options))
          .withMessageContaining(project.refused);
      return;
    }
    Trial trial = asked.trial("project", options);
    assertThat(trial.sandboxed().file().appender()).isEqualTo(project.appender);
    TrialResult found = SmallRun.run(options, List.of(trial)).result().trials().get(0);
    assertThat(found.load().rotation().complete()).isTrue();
    assertThat(found.readBack().conservation().delivered()).isGreaterThan(4_000);
    if (!project.discards) {
      assertThat(found.reasons()).as(found.finding()).isEmpty();
      assertThat(found.readBack().conservation().lost()).isZero();
    }
    assertThat(home).as("nothing was touched").isEmptyDirectory();
  }

  private Path configuration(Project project) throws IOException {
    String stored = System.getProperty("spillway.projects");
    Path file = Path.of(String.valueOf(stored), project.repository, project.path).toAbsolutePath();
    if (stored != null) {
      assumeThat(file).exists();
      return file;
    }
    URLConnection link =
        URI.create(
                "https://github.com/%s/raw/%s/%s"
                    .formatted(project.repository, project.commit, project.path))
            .toURL()
            .openConnection();
    link.setConnectTimeout(TIMEOUT_MILLIS);
    link.setReadTimeout(TIMEOUT_MILLIS);
    Path copy = directory.resolve(file.getFileName());
    try (InputStream in = link.getInputStream()) {
      Files.copy(in, copy);
    } catch (IOException e) {
      assumeThat(e).as("no network: " + link).isNull();
    }
    return copy;
  }
}
