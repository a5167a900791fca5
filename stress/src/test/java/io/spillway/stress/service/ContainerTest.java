package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.stress.service.Container.Place;
import io.spillway.stress.service.Container.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where control groups are made, on systems that are only files; and one on this system. */
class ContainerTest {

  private static final String TWO = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0";

  @TempDir Path system;

  @Test
  void shouldFindTheControllerOfVersionOneWhereverItIsMounted() throws Exception {
    file("proc/self/cgroup", "4:memory:/user", "0::/");
    file(
        "proc/self/mounts",
        "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0",
        "cgroup /groups/memory cgroup rw,relatime,memory 0 0");

    assertThat(Place.all(system)).containsExactly(new Place(Version.ONE, at("groups/memory")));
  }

  /** As of a session of systemd: the right to move a process is that of the groups above it. */
  @Test
  void shouldTryTheNearestGroupOfVersionTwoFirst() throws Exception {
    file("proc/self/cgroup", "0::/user.slice/app.slice/run.scope");
    file("proc/self/mounts", "proc /proc proc rw 0 0", TWO);
    file("sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu memory pids");
    file("sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu");
    file("sys/fs/cgroup/user.slice/app.slice/cgroup.subtree_control", "memory pids");
    file("sys/fs/cgroup/user.slice/app.slice/run.scope/cgroup.subtree_control", "");

    assertThat(Place.all(system))
        .containsExactly(
            new Place(Version.TWO, at("sys/fs/cgroup/user.slice/app.slice")),
            new Place(Version.TWO, at("sys/fs/cgroup")));
  }

  /** As in a container that sees the machine's names, but only its own group. */
  @Test
  void shouldTryTheRootOfVersionTwoIfItsOwnGroupIsNotMounted() throws Exception {
    file("proc/self/mounts", TWO);
    file("sys/fs/cgroup/cgroup.subtree_control", "memory");
    for (String own : List.of("0::/../other", "0::/system.slice/docker-1.scope", "0::/")) {
      file("proc/self/cgroup", own);

      assertThat(Place.all(system)).containsExactly(new Place(Version.TWO, at("sys/fs/cgroup")));
    }
  }

  @Test
  void shouldFindNoneWithoutTheControllerOfMemory() throws Exception {
    assertThat(Place.all(system)).as("no Linux").isEmpty();

    file("proc/self/cgroup", "1:name=systemd:/", "0::/");
    file("proc/self/mounts", TWO, "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0");
    assertThat(Place.all(system)).as("nobody gives controllers").isEmpty();
    file("sys/fs/cgroup/cgroup.subtree_control", "cpu hugetlb");
    assertThat(Place.all(system)).isEmpty();
  }

  @Test
  void shouldLeaveNothingWhereThereIsNoControlGroup() throws Exception {
    for (Version version : Version.values()) {
      assertThat(Container.in(new Place(version, system), 1 << 20)).isNull();
      assertThat(Container.in(new Place(version, at("missing")), 1 << 20)).isNull();
      assertThat(system).isEmptyDirectory();
    }
  }

  @Test
  void shouldRunCommandsWithinAGroupOfThisSystem() throws Exception {
    Container container = Container.withLimit(64 << 20);
    assumeTrue(container != null, "No control group can be made here: that takes root, or systemd");
    String groups;
    try (container) {
      Process process =
          new ProcessBuilder(container.around(List.of("cat", "/proc/self/cgroup"))).start();
      groups = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      assertThat(container.hasKilled()).isFalse();
    }

    assertThat(groups).contains("/spillway-stress-" + ProcessHandle.current().pid() + "-");
    assertThat(container.describe()).matches("a control group of version [12] below /.*");
  }

  private void file(String path, String... lines) throws IOException {
    Path file = at(path);
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(lines));
  }

  private Path at(String path) {
    return system.resolve(path);
  }
}
