package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The release of CONTRIBUTING.md up to the upload: made twice, in two folders. */
@Tag("full")
@Timeout(1_200)
class ReleaseTest {
  private static final String VERSION = "0.1.0";
  private static final String BASE = base("spillway-appender");
  private static final String DROPWIZARD = base("spillway-dropwizard");
  private static final List<String> FILES =
      List.of(".jar", ".pom", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml");
  private static final String PASSPHRASE = "for this test alone";

  @TempDir private static Path directory;
  private static Path keys;
  private static Map<String, byte[]> bundle;
  private static Map<String, byte[]> again;

  private static String base(String artifact) {
    return "io/spillway/%1$s/%2$s/%1$s-%2$s".formatted(artifact, VERSION);
  }

  @BeforeAll
  static void release() throws Exception {
    assumeThat(Command.has("gpg")).as("gpg is on the PATH").isTrue();
    keys = Files.createDirectory(directory.resolve("keys"));
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwx------"));
    gpg("--quick-gen-key", "spillway@example.invalid", "rsa3072", "sign", "never");
    String key = gpg("--armor", "--export-secret-keys");
    bundle = bundle("one", key);
    again = bundle("two", key);
  }

  /** Its agent would outlive the test for a while. */
  @AfterAll
  static void endAgent() throws Exception {
    if (keys != null) {
      Command.run(directory, "gpgconf", "--homedir", keys.toString(), "--kill", "all");
    }
  }

  private static String gpg(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("gpg", "--homedir", keys.toString(), "--batch", "--no-tty", "-q"));
    command.addAll(List.of("--pinentry-mode", "loopback", "--passphrase", PASSPHRASE));
    command.addAll(List.of(arguments));
    return Command.run(keys, command.toArray(String[]::new));
  }

  private static Map<String, byte[]> bundle(String folder, String key) throws Exception {
    Path checkout = Command.checkOut(directory.resolve(folder).resolve("spillway"));
    setVersion(checkout);
    Path staging = directory.resolve(folder).resolve("staging");
    Command.run(
        checkout,
        List.of("MAVEN_GPG_KEY=" + key, "MAVEN_GPG_PASSPHRASE=" + PASSPHRASE),
        Command.maven(
            directory.resolve(folder).resolve("repository"),
            "./mvnw",
            "-q",
            "-Prelease",
            "-pl",
            "appender/dropwizard",
            "-am",
            "-Dmaven.test.skip",
            "-DaltDeploymentRepository=staging::" + staging.toUri(),
            "deploy"));
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(staging)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(staging.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return files;
  }

  /** As versions:set does. */
  private static void setVersion(Path checkout) throws IOException {
    String now = "<version>" + System.getProperty("examples.spillway.version") + "</version>";
    try (Stream<Path> all = Files.walk(checkout)) {
      all.filter(path -> path.endsWith("pom.xml"))
          .forEach(
              pom -> {
                try {
                  String text = Files.readString(pom);
                  Files.writeString(pom, text.replace(now, "<version>" + VERSION + "</version>"));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }

  private static List<String> files() {
    return Stream.of(BASE, DROPWIZARD).flatMap(base -> FILES.stream().map(base::concat)).toList();
  }

  @Test
  void shouldHaveEveryFileWithSumsAndSignatures() throws Exception {
    for (String file : files()) {
      assertThat(bundle).containsKeys(file, file + ".asc", file + ".md5", file + ".sha1");
      Path signed = Files.write(directory.resolve("signed"), bundle.get(file));
      Path signature = Files.write(directory.resolve("asc"), bundle.get(file + ".asc"));
      gpg("--verify", signature.toString(), signed.toString()); // fails unless it is good
    }
    assertThat(bundle.keySet())
        .as("nothing but the two products")
        .allMatch(
            name ->
                name.startsWith(BASE)
                    || name.startsWith(DROPWIZARD)
                    || name.contains("maven-metadata"));
  }

  @Test
  void shouldBeTheSameFromBuildToBuild() {
    for (String file : files()) {
      assertThat(again.get(file)).as(file).isEqualTo(bundle.get(file));
    }
  }

  @Test
  void shouldHaveAPomThatStandsByItself() {
    for (String base : List.of(BASE, DROPWIZARD)) {
      assertThat(pom(base))
          .doesNotContain("<parent>", "SNAPSHOT", "${")
          .contains("<name>", "<description>", "<licenses>", "<developers>", "<scm")
          .contains("<url>https://spillway.io</url>");
    }
    String pom = pom(BASE);
    assertThat(scope(pom, "logback-classic")).isEqualTo("provided");
    assertThat(scope(pom, "logback-core")).isEqualTo("provided");
    assertThat(scope(pom, "slf4j-api")).isEqualTo("provided");
    assertThat(scope(pom, "disruptor")).isEqualTo("compile");
  }

  private static String pom(String base) {
    return new String(bundle.get(base + ".pom"), StandardCharsets.UTF_8);
  }

  private static String scope(String pom, String artifact) {
    String after = pom.substring(pom.indexOf("<artifactId>" + artifact + "</artifactId>"));
    int begin = after.indexOf("<scope>") + "<scope>".length();
    return after.substring(begin, after.indexOf("</scope>"));
  }

  @Test
  void shouldTellItsVersionAndItsLicense() throws Exception {
    Path jar = Files.write(directory.resolve("spillway.jar"), bundle.get(BASE + ".jar"));
    try (JarFile file = new JarFile(jar.toFile())) {
      Attributes manifest = file.getManifest().getMainAttributes();
      assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION)).isEqualTo(VERSION);
      try (InputStream license = file.getInputStream(file.getJarEntry("META-INF/LICENSE"))) {
        assertThat(license.readAllBytes())
            .isEqualTo(Files.readAllBytes(Readme.PROJECT.resolve("LICENSE")));
      }
    }
  }

  @Test
  void shouldListWhatComesWithIt() throws Exception {
    JsonNode bom = new ObjectMapper().readTree(bundle.get(BASE + "-cyclonedx.json"));
    assertThat(bom.path("bomFormat").asText()).isEqualTo("CycloneDX");
    assertThat(bom.path("metadata").path("component").path("name").asText())
        .isEqualTo("spillway-appender");
    assertThat(bom.path("components").findValuesAsText("name")).contains("disruptor");
  }
}
