package io.spillway.stress.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxTest {
  private final Sandbox sandbox = new Sandbox(Path.of("/box/files"), Path.of("/srv/app"));

  @ParameterizedTest
  @CsvSource({
    "/var/log/app.log, /box/files/var/log/app.log",
    "logs/app.log, /box/files/srv/app/logs/app.log",
    "../shared/app.log, /box/files/srv/shared/app.log",
    "../../../../etc/app.log, /box/files/etc/app.log",
    "/var/log/%d{yyyy/MM}/app.%i.log.gz, /box/files/var/log/%d{yyyy/MM}/app.%i.log.gz",
    "/box/files/already/here.log, /box/files/already/here.log",
  })
  void shouldLeadEveryPathIntoItself(String from, String to) {
    assertThat(sandbox.redirect(from)).isEqualTo(to);
  }

  @ParameterizedTest
  @CsvSource({
    "file, app.log, true",
    "File, app.log, true",
    "fileNamePattern, app.%i.log, true",
    "filename, status.txt, true",
    "spillDirectory, /tmp/spill, true",
    "spillDirectory, spill, false",
    "keyStorePath, conf/keys, true",
    "filePermissions, rw-r-----, false",
    "maxFileSize, 10MB, false",
    "totalSizeCap, 10GB, false",
    "logfileLocation, /var/log, true",
    "profile, a/b, false",
    "logfile, a/b, true",
    "keyStoreLocation, classpath:conf/keys, false",
    "logPath, 'C:\\logs', true",
    "pattern, %d/%m%n, false",
    "url, http://host/path, false",
    "file, '', false",
  })
  void shouldTellPathsFromOtherProperties(String name, String value, boolean path) {
    assertThat(Sandbox.isPath(name, value)).isEqualTo(path);
  }

  @Test
  void shouldStayInsideHoweverManyLevelsAPathGoesUp() {
    assertThat(sandbox.redirect("../".repeat(50) + "app.log")).isEqualTo("/box/files/app.log");
  }
}
