package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.LogFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A new user's first hour: a project in an empty folder, outside of this one, with what README.md
 * says and nothing else, logs through Spillway.
 */
@Tag("slow")
@Timeout(1_200)
class AdoptionTest {
  private static final int EVENTS = 1_000;
  private static final Pattern EVENT = Pattern.compile("event (\\d+)$");
  private static final Pattern PORT = Pattern.compile("Started application@.*:(\\d+)}");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String COPY_JARS =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies";

  private static final String LOOP =
      """
          for (int i = 0; i < %d; i++) {
            log.info("event {}", i);
          }
          ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("ROOT"))
              .iteratorForAppenders()
              .forEachRemaining(a -> System.out.println("through " + a.getClass().getName()));
      """
          .formatted(EVENTS);

  private static final String MAIN =
      """
      import org.slf4j.LoggerFactory;

      public class Main {
        public static void main(String[] arguments) {
          var log = LoggerFactory.getLogger(Main.class);
      %s  }
      }
      """
          .formatted(LOOP);

  private static final String POM =
      """
      <project>
        <modelVersion>4.0.0</modelVersion>
        %s
        <groupId>shop</groupId>
        <artifactId>shop</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencies>
          %s
        </dependencies>
        %s
      </project>
      """;

  private static final String BOOT =
      """
      package shop;

      import org.slf4j.LoggerFactory;
      import org.springframework.boot.CommandLineRunner;
      import org.springframework.boot.SpringApplication;
      import org.springframework.boot.autoconfigure.SpringBootApplication;

      @SpringBootApplication
      public class Shop implements CommandLineRunner {
        public static void main(String[] arguments) {
          SpringApplication.run(Shop.class, arguments);
        }

        @Override
        public void run(String... arguments) {
          var log = LoggerFactory.getLogger(Shop.class);
      %s  }
      }
      """
          .formatted(LOOP);

  private static final String DROPWIZARD =
      """
      import io.dropwizard.core.Application;
      import io.dropwizard.core.Configuration;
      import io.dropwizard.core.setup.Environment;
      import jakarta.ws.rs.GET;
      import jakarta.ws.rs.Path;
      import org.slf4j.LoggerFactory;

      public class Main extends Application<Configuration> {
        @Path("/")
        public static class Shop {
          @GET
          public String open() {
            return "open";
          }
        }

        public static void main(String[] arguments) throws Exception {
          new Main().run(arguments);
        }

        @Override
        public void run(Configuration configuration, Environment environment) {
          environment.jersey().register(new Shop());
          var log = LoggerFactory.getLogger(Main.class);
      %s  }
      }
      """
          .formatted(LOOP);

  @TempDir private static Path once;
  private static Path repository;
  private static Path checkout;
  private static Readme readme;

  @TempDir Path folder;

  @BeforeAll
  static void install() throws Exception {
    readme = new Readme();
    repository = once.resolve("repository");
    checkout = Command.checkOut(once.resolve("spillway"));
    assertThat(readme.installs()).hasSize(2);
    for (String command : readme.installs()) {
      Command.run(checkout, Command.maven(repository, command.split(" ")));
    }
  }

  @BeforeEach
  void empty() {
    assertThat(folder).isEmptyDirectory();
  }

  private static String version(String of) {
    return System.getProperty("examples." + of + ".version");
  }

  private static String logback(String version) {
    return """
    <dependency>
      <groupId>ch.qos.logback</groupId>
      <artifactId>logback-classic</artifactId>
      <version>%s</version>
    </dependency>
    """
        .formatted(version);
  }

  private void write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void maven(String... goals) throws Exception {
    String[] command =
        Stream.concat(Stream.of(checkout.resolve("mvnw").toString(), "-q"), Stream.of(goals))
            .toArray(String[]::new);
    Command.run(folder, Command.maven(repository, command));
  }

  private List<String> jars(String directory) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(directory))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private String java(String... arguments) throws Exception {
    return Command.run(
        folder,
        Stream.concat(
                Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
                Stream.of(arguments))
            .toArray(String[]::new));
  }

  private void assertAllLogged() throws IOException {
    int[] numbers =
        LogFiles.lines(folder.resolve("logs/app.log")).stream()
            .map(EVENT::matcher)
            .filter(Matcher::find)
            .mapToInt(found -> Integer.parseInt(found.group(1)))
            .toArray();
    assertThat(numbers).isEqualTo(IntStream.range(0, EVENTS).toArray());
    try (Stream<Path> all = Files.list(folder)) {
      assertThat(all).noneMatch(path -> path.getFileName().toString().contains("$"));
    }
  }

  @Test
  void shouldLogFromAPlainMavenProjectWithALogbackOfItsOwn() throws Exception {
    String own = version("older-logback");
    write("pom.xml", POM.formatted("", readme.block("xml", "<dependency>") + logback(own), ""));
    write("src/main/java/Main.java", MAIN);
    write("src/main/resources/logback.xml", readme.block("xml", "<configuration>"));
    maven("package", COPY_JARS, "-DincludeScope=runtime");

    assertThat(jars("target/dependency"))
        .contains("logback-classic-" + own + ".jar", "logback-core-" + own + ".jar")
        .anyMatch(jar -> jar.startsWith("disruptor-"))
        .hasSize(5); // with slf4j-api, and Spillway itself
    assertThat(java("-cp", "target/classes:target/dependency/*", "Main"))
        .contains("through io.spillway.SpillwayRollingFileAppender");
    assertAllLogged();
  }

  @Test
  @Tag("full")
  void shouldLogFromAGradleProjectThroughTheAppenderInFront() throws Exception {
    assumeThat(Command.has("gradle")).as("gradle is on the PATH (Debian: gradle)").isTrue();
    write("settings.gradle", "rootProject.name = 'shop'\n");
    write(
        "build.gradle",
        """
        apply plugin: 'application'
        mainClassName = 'Main'
        """
            + readme.block("groovy", "dependencies")
            + "dependencies { implementation 'ch.qos.logback:logback-classic:%s' }\n"
                .formatted(version("logback")));
    write("src/main/java/Main.java", MAIN);
    write(
        "src/main/resources/logback.xml",
        """
        <configuration>
          <appender name="FILE" class="ch.qos.logback.core.FileAppender">
            <file>logs/app.log</file>
            <encoder><pattern>%d %m%n</pattern></encoder>
          </appender>
          SPILLWAY
          <root level="INFO"><appender-ref ref="SPILLWAY"/></root>
        </configuration>
        """
            .replace("SPILLWAY\n", readme.block("xml", "io.spillway.SpillwayAppender")));
    Command.run(
        folder,
        "gradle",
        "-q",
        "--no-daemon",
        "-g",
        folder.resolve("gradle-home").toString(),
        "-Dmaven.repo.local=" + repository,
        "installDist");

    assertThat(java("-cp", "build/install/shop/lib/*", "Main"))
        .contains("through io.spillway.SpillwayAppender");
    assertAllLogged();
  }

  @Test
  @Tag("full")
  void shouldLogFromSpringBoot3() throws Exception {
    boot(version("spring-boot-3"));
  }

  @Test
  @Tag("full")
  void shouldLogFromTheOldestSpringBootThatIsNamed() throws Exception {
    boot("3.3.4");
  }

  @Test
  @Tag("full")
  void shouldLogFromSpringBoot4() throws Exception {
    boot(version("spring-boot-4"));
  }

  private void boot(String version) throws Exception {
    String parent =
        """
        <parent>
          <groupId>org.springframework.boot</groupId>
          <artifactId>spring-boot-starter-parent</artifactId>
          <version>%s</version>
          <relativePath/>
        </parent>
        """
            .formatted(version);
    String starter =
        """
        <dependency>
          <groupId>org.springframework.boot</groupId>
          <artifactId>spring-boot-starter</artifactId>
        </dependency>
        """;
    String plugin =
        """
        <build>
          <plugins>
            <plugin>
              <groupId>org.springframework.boot</groupId>
              <artifactId>spring-boot-maven-plugin</artifactId>
            </plugin>
          </plugins>
        </build>
        """;
    write("pom.xml", POM.formatted(parent, starter + readme.block("xml", "<dependency>"), plugin));
    write("src/main/java/shop/Shop.java", BOOT);
    write(
        "src/main/resources/logback-spring.xml",
        Files.readString(readme.linked("Spring Boot 3 (3.3.4 or newer) and 4")));
    maven("package");

    assertThat(java("-jar", "target/shop-1.jar"))
        .contains("through io.spillway.SpillwayRollingFileAppender");
    assertAllLogged();
  }

  @Test
  @Tag("full")
  void shouldLogFromDropwizard() throws Exception {
    String core =
        """
        <dependency>
          <groupId>io.dropwizard</groupId>
          <artifactId>dropwizard-core</artifactId>
          <version>%s</version>
        </dependency>
        """
            .formatted(version("dropwizard"));
    String spillway =
        readme.block("xml", "<dependency>").replace("spillway-appender", "spillway-dropwizard");
    write("pom.xml", POM.formatted("", core + spillway, ""));
    write("src/main/java/Main.java", DROPWIZARD);
    write("example.yml", Files.readString(readme.linked("Dropwizard 5")));
    maven("package", COPY_JARS, "-DincludeScope=runtime");

    Process service =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Ddw.server.applicationConnectors[0].port=0",
                "-Ddw.server.adminConnectors[0].port=0",
                "-cp",
                "target/classes:target/dependency/*",
                "Main",
                "server",
                "example.yml")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.txt").toFile())
            .start();
    try {
      String url = "http://localhost:" + port(service) + "/pears";
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
      assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode())
          .isEqualTo(404);
      service.destroy();
      assertThat(service.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      service.destroyForcibly();
    }
    assertAllLogged();
    assertThat(LogFiles.lines(folder.resolve("logs/access.log")))
        .anyMatch(line -> line.contains("GET /pears"));
    assertThat(Files.readString(folder.resolve("output.txt")))
        .contains("through io.spillway.SpillwayRollingFileAppender");
  }

  private String port(Process service) {
    Path log = folder.resolve("logs/app.log");
    return await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(service.isAlive()).as(() -> read(folder.resolve("output.txt"))).isTrue();
              Matcher found = PORT.matcher(Files.exists(log) ? Files.readString(log) : "");
              return found.find() ? found.group(1) : null;
            },
            port -> port != null);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void shouldNameTheVersionThatIsInstalled() throws Exception {
    Path installed =
        repository.resolve("io/spillway/spillway-appender").resolve(version("spillway"));
    String pom =
        Files.readString(installed.resolve("spillway-appender-" + version("spillway") + ".pom"));
    assertThat(pom).doesNotContain("<parent>");
    assertThat(readme.text()).contains("Version " + version("spillway") + " ");
    assertThat(readme.block("groovy", "dependencies"))
        .contains("io.spillway:spillway-appender:" + version("spillway") + "'");
    assertThat(new Readme("appender/dropwizard/README.md").block("xml", "<dependency>"))
        .contains("<version>" + version("spillway") + "</version>");
  }
}
