package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A directory below that of the archives which this process may not read, such as {@code
 * lost+found}. Root may read all, so the policy runs in a process without that right.
 */
@Timeout(60)
class UnreadableDirectoryTest {
  private static final String[] UNPRIVILEGED = {
    "setpriv", "--bounding-set=-dac_override,-dac_read_search"
  };
  private static final String EARLIER = "2020-01/app.2020-01-02.log";

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  void shouldFindFilesBesideIt() throws IOException {
    Assumptions.assumeTrue(
        Shell.attempt(UNPRIVILEGED[0], UNPRIVILEGED[1], "true").exitCode() == 0,
        "skipped, rights cannot be given up here (be root, CAP_SETPCAP)");
    Files.createDirectory(
        directory.resolve("lost+found"), PosixFilePermissions.asFileAttribute(Set.of()));
    Path earlier = directory.resolve(EARLIER);
    Files.createDirectory(earlier.getParent());
    Files.writeString(earlier, "of an earlier run\n");
    Shell.run(
        UNPRIVILEGED[0],
        UNPRIVILEGED[1],
        Path.of(System.getProperty("java.home"), "bin", "java"),
        "-cp",
        System.getProperty("java.class.path"),
        UnreadableDirectoryTest.class.getName(),
        directory);
    assertThat(Tree.of(directory)).containsEntry(EARLIER + ".gz", "of an earlier run\n");
  }

  /** The process. */
  public static void main(String[] arguments) {
    Path logs = Path.of(arguments[0]);
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.setFileNamePattern(logs + "/%d{yyyy-MM, aux}/app.%d.log.gz");
    RollingRig rig = new RollingRig(Host.STOCK, logs.resolve("app.log"));
    try (rig) {
      rig.with(policy, policy).start().awaitArchived();
    }
    assertThat(rig.warnings()).isEmpty();
  }
}
