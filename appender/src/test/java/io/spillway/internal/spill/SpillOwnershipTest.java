package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.open;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.Rig;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpillOwnershipTest {

  @TempDir Path temp;
  private Path directory;
  private final RecordingListener listener = new RecordingListener();

  @BeforeEach
  void inSubdirectory() throws Exception {
    directory = temp.toRealPath().resolve("spill");
  }

  @Test
  void shouldGiveEachOwnerInOneJvmItsOwnDirectory() throws Exception {
    try (Spill first = open(directory, listener)) {
      try (Spill second = open(directory, listener);
          Spill third = open(directory, listener)) {
        assertThat(first.directory()).isEqualTo(directory);
        assertThat(second.directory()).isEqualTo(directory.resolve("1"));
        assertThat(third.directory()).isEqualTo(directory.resolve("2"));
        assertThat(listener.notices).hasSize(2);
        appendAll(second, texts(0, 3));
        assertThat(deliverAll(first)).isEmpty();
      }
      assertThat(directory.resolve("2")).doesNotExist();
    }
    try (Spill next = open(directory, listener)) {
      assertThat(next.directory()).isEqualTo(directory);
      assertThat(deliverAll(next)).isEqualTo(texts(0, 3));
      assertThat(next.isEmpty()).isTrue();
      assertThat(directory.resolve("1")).doesNotExist();
    }
  }

  /** As one that began while another had the directory, and is stopped after that. */
  @Test
  void shouldDeliverWhatIsReleasedLaterInAHigherNumber() throws Exception {
    Spill first = open(directory, listener);
    Spill second = open(directory, listener);
    first.close();
    try (Spill next = open(directory, listener)) {
      assertThat(next.directory()).isEqualTo(directory);
      appendAll(second, texts(0, 3));
      second.close();
      assertThat(next.adoptLeftovers()).isTrue();
      assertThat(deliverAll(next)).isEqualTo(texts(0, 3));
      assertThat(next.isEmpty()).isTrue();
      assertThat(directory.resolve("1")).doesNotExist();
    }
  }

  /** When which of them was written says nothing: a stop saves what is older than that. */
  @Test
  void shouldDeliverTheDirectoryBeforeItsSubdirectoriesAndTheseInTheirOrder() throws Exception {
    Spill first = open(directory, listener);
    Spill second = open(directory, listener);
    Spill third = open(directory, listener);
    appendAll(third, List.of("third"));
    long written = System.currentTimeMillis();
    await().until(() -> System.currentTimeMillis() > written);
    appendAll(second, List.of("second"));
    second.close();
    third.close();
    try (Spill next = open(directory, listener)) {
      assertThat(next.directory()).isEqualTo(directory.resolve("1"));
      appendAll(first, List.of("first"));
      first.close();
      assertThat(next.adoptLeftovers()).isTrue();
      assertThat(deliverAll(next)).containsExactly("first", "second", "third");
    }
  }

  @Test
  void shouldDeliverSubdirectoriesInTheirOrderWhicheverWasWrittenFirst() throws Exception {
    try (Spill first = open(directory, listener);
        Spill second = open(directory, listener);
        Spill third = open(directory, listener)) {
      appendAll(first, List.of("first"));
      appendAll(third, List.of("third"));
      long written = System.currentTimeMillis();
      await().until(() -> System.currentTimeMillis() > written);
      appendAll(second, List.of("second"));
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener))
        .containsExactly("first", "second", "third");
  }

  /** Owns a spill until its input ends, after leaving three records. */
  static final class Owner {
    public static void main(String[] args) throws IOException {
      SpillConfig config =
          new SpillConfig(Path.of(args[0]), 1 << 20, SpillKind.BYTES, 0, "owner", false);
      Spill spill = SpillTesting.open(config, new SpillListener() {});
      appendAll(spill, texts(0, 3));
      System.out.println(spill.directory());
      while (System.in.read() >= 0) {
        Thread.onSpinWait();
      }
    }
  }

  private Process startOwner() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-Xmx64m",
            Owner.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Closing any second stream on the lock file would drop the lock of the first. */
  @Test
  void shouldKeepItsLockWhenAnotherSpillOfTheSameJvmTriesTheDirectory() throws Exception {
    try (Spill spill = open(directory, listener)) {
      open(directory, listener).close();
      Process process = startOwner();
      try (BufferedReader out = process.inputReader()) {
        assertThat(out.readLine()).isEqualTo(directory.resolve("1").toString());
      } finally {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(spill.directory()).isEqualTo(directory);
    }
  }

  @Test
  void shouldLeaveAnotherProcessItsDirectoryAndAdoptItAfterItsDeath() throws Exception {
    Process process = startOwner();
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine()).isEqualTo(directory.toString());
      for (int attempt = 0; attempt < 3; attempt++) {
        try (Spill spill = open(directory, listener)) {
          assertThat(spill.directory()).isEqualTo(directory.resolve("1"));
          assertThat(spill.isEmpty()).isTrue();
        }
      }
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
  }

  private SpillConfig of(String owner) {
    return new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, owner, false);
  }

  @Test
  void shouldKeepLeftoversForTheirOwnerInWhateverOrderTheyStart() throws Exception {
    for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
      try (Spill a = SpillTesting.open(of("a"), listener);
          Spill b = SpillTesting.open(of("b"), listener)) {
        appendAll(a, List.of("of a"));
        appendAll(b, List.of("of b"));
      }
      try (Spill first = SpillTesting.open(of(order.get(0)), listener);
          Spill second = SpillTesting.open(of(order.get(1)), listener)) {
        assertThat(deliverAll(first)).containsExactly("of " + order.get(0));
        assertThat(deliverAll(second)).containsExactly("of " + order.get(1));
      }
    }
  }

  @Test
  void shouldLeaveAnotherOwnersLeftoversAloneUntilTheFileIsDeleted() throws Exception {
    try (Spill old = SpillTesting.open(of("old"), listener)) {
      appendAll(old, texts(0, 3));
    }
    try (Spill renamed = SpillTesting.open(of("new"), listener)) {
      assertThat(deliverAll(renamed)).isEmpty();
      appendAll(renamed, texts(3, 4));
      assertThat(deliverAll(renamed)).isEqualTo(texts(3, 4));
    }
    assertThat(listener.warnings)
        .singleElement()
        .asString()
        .contains("[old]", directory.resolve("owner").toString());
    Files.delete(directory.resolve("owner"));
    try (Spill renamed = SpillTesting.open(of("new"), listener)) {
      assertThat(deliverAll(renamed)).isEqualTo(texts(0, 3));
    }
  }

  @Test
  void shouldKnowAnOwnerAgainWhoseNameIsLongerThanWhatIsKept() throws Exception {
    String longest = "\u00e4".repeat(3_001);
    try (Spill old = SpillTesting.open(of(longest), listener)) {
      appendAll(old, texts(0, 3));
    }
    try (Spill again = SpillTesting.open(of(longest), listener)) {
      assertThat(deliverAll(again)).isEqualTo(texts(0, 3));
    }
  }

  /** Were it written again, a crash in between would leave its leftovers to anybody. */
  @Test
  void shouldNotWriteAgainWhoseLeftoversTheseAre() throws Exception {
    try (Spill a = SpillTesting.open(of("a"), listener)) {
      appendAll(a, texts(0, 3));
    }
    FaultyDisk files =
        new FaultyDisk()
            .hook(
                (number, operation, path) -> {
                  if (operation.equals("write") && path.endsWith(SpillSlot.OWNER)) {
                    throw new IOException("No space left on device (injected)");
                  }
                });
    try (Spill again = SpillTesting.open(of("a"), listener, files, System::nanoTime)) {
      appendAll(again, texts(3, 4));
    }
    try (Spill other = SpillTesting.open(of("b"), listener)) {
      assertThat(deliverAll(other)).isEmpty();
    }
    try (Spill again = SpillTesting.open(of("a"), listener)) {
      assertThat(deliverAll(again)).isEqualTo(texts(0, 4));
    }
  }

  /** A power cut leaves such files on some file systems. */
  @Test
  void shouldTakeAnOwnerOfZerosForNone() throws Exception {
    try (Spill old = SpillTesting.open(of("owner"), listener)) {
      appendAll(old, texts(0, 3));
    }
    Files.write(directory.resolve("owner"), new byte[58]);
    try (Spill again = SpillTesting.open(of("owner"), listener)) {
      assertThat(deliverAll(again)).isEqualTo(texts(0, 3));
    }
  }

  @Test
  void shouldLeaveLeftoversOfAnotherKindAlone() throws Exception {
    try (Spill bytes = open(directory, listener)) {
      appendAll(bytes, texts(0, 3));
    }
    byte[] before = Files.readAllBytes(segments(directory).get(0));
    SpillConfig events = new SpillConfig(directory, 1 << 20, SpillKind.EVENTS, 0, null, false);
    try (Spill other = SpillTesting.open(events, listener)) {
      assertThat(other.directory()).isEqualTo(directory.resolve("1"));
      assertThat(deliverAll(other)).isEmpty();
      assertThat(other.isEmpty()).isTrue();
    }
    assertThat(listener.warnings)
        .singleElement()
        .asString()
        .contains("kind BYTES", "[" + directory + "]", "SpillwayRollingFileAppender", "To do: ");
    assertThat(Files.readAllBytes(segments(directory).get(0))).isEqualTo(before);
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
  }

  /** What it cannot read it must not change: the later version can be had again. */
  @ParameterizedTest
  @ValueSource(strings = {"first", "last", "aside", "cursor"})
  void shouldLeaveALaterFormatAsItIs(String later) throws Exception {
    for (int run = 0; run < 3; run++) {
      try (Spill spill = open(directory, listener)) {
        appendAll(spill, texts(3 * run, 3 * run + 3));
      }
    }
    List<Path> all = segments(directory);
    Path aside = directory.resolve(all.get(0).getFileName() + ".48.0.aside");
    switch (later) {
      case "first" -> makeLater(all.get(0), Short.BYTES, 68);
      case "last" -> makeLater(all.get(all.size() - 1), Short.BYTES, 68);
      case "aside" -> makeLater(Files.move(all.get(0), aside), Short.BYTES, 68);
      default -> makeLater(directory.resolve(Cursor.NAME), Integer.BYTES, 60);
    }
    Files.writeString(directory.resolve("0000000000000010.seg.sync"), "a copy");
    Map<String, String> before = contents();
    for (int start = 0; start < 2; start++) {
      try (Spill spill = open(directory, listener)) {
        appendAll(spill, texts(20, 22));
        assertThat(deliverAll(spill)).isEqualTo(texts(20, 22));
        assertThat(spill.directory()).isEqualTo(directory.resolve("1"));
        assertThat(spill.readSetAside()).isNull();
      }
      assertThat(contents()).isEqualTo(before);
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.warnings)
        .anyMatch(
            text ->
                text.contains("later version of Spillway")
                    && text.contains(directory.toString())
                    && text.contains("To do: "));
  }

  /** As a later version leaves it that has delivered everything and was killed then. */
  @Test
  void shouldUseADirectoryInWhichALaterVersionHasLeftACursorAlone() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    for (Path segment : segments(directory)) {
      Files.delete(segment);
    }
    makeLater(directory.resolve(Cursor.NAME), Integer.BYTES, 60);
    for (int start = 0; start < 3; start++) {
      try (Spill spill = open(directory, listener)) {
        assertThat(spill.directory()).isEqualTo(directory);
        assertThat(deliverAll(spill))
            .isEqualTo(start == 0 ? List.of() : texts(9 + start, 10 + start));
        appendAll(spill, texts(10 + start, 11 + start));
      }
    }
    assertThat(listener.warnings).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  /** One between others may be found only when it is read. */
  @Test
  void shouldSetASegmentOfALaterFormatAsideThatIsBetweenOthers() throws Exception {
    for (int run = 0; run < 3; run++) {
      try (Spill spill = open(directory, listener)) {
        appendAll(spill, texts(3 * run, 3 * run + 3));
      }
    }
    Path middle = segments(directory).get(2);
    makeLater(middle, Short.BYTES, 68);
    byte[] bytes = Files.readAllBytes(middle);
    AtomicLong clock = new AtomicLong();
    List<String> delivered = new ArrayList<>();
    try (Spill spill =
        SpillTesting.open(config(directory), listener, new FaultyDisk(), clock::get)) {
      for (int second = 0; second < 100; second++) {
        delivered.addAll(deliverAll(spill));
        assertThat(spill.readSetAside()).isNull();
        clock.addAndGet(1_000_000_000L);
      }
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(delivered).containsAll(texts(0, 3)).containsAll(texts(6, 9)).hasSize(6);
    List<Path> asides = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*.aside")) {
      all.forEach(asides::add);
    }
    assertThat(asides).hasSize(1);
    assertThat(asides.get(0)).hasBinaryContent(bytes);
  }

  /** The version of a file, of so many bytes at 4, with a checksum that fits. */
  private static void makeLater(Path file, int versionBytes, int crc) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int slots = versionBytes == Short.BYTES ? 1 : 2;
    for (int i = 0; i < slots; i++) {
      int at = i * (crc + Integer.BYTES);
      bytes[at + Integer.BYTES + versionBytes - 1] = 3;
      ByteBuffer.wrap(bytes).putInt(at + crc, SegmentFormat.crc(bytes, at, crc));
    }
    Files.write(file, bytes);
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      for (Path path : all) {
        if (Files.isRegularFile(path)) {
          contents.put(
              path.getFileName().toString(), HexFormat.of().formatHex(Files.readAllBytes(path)));
        }
      }
    }
    return contents;
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldCreateEverythingForItsOwnerOnly() throws Exception {
    Process umask =
        new ProcessBuilder(
                "sh",
                "-c",
                "umask 000; exec \"$0\" -cp \"$1\" " + "'" + Owner.class.getName() + "' \"$2\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("java.class.path"),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = umask.inputReader()) {
      assertThat(out.readLine()).isNotNull();
      assertThat(mode(directory)).isEqualTo("rwx------");
      List<Path> files = Rig.filesBelow(directory);
      assertThat(files)
          .extracting(file -> file.getFileName().toString())
          .contains("lock", "cursor", "owner")
          .anyMatch(name -> name.endsWith(".seg"));
      for (Path file : files) {
        assertThat(mode(file)).as("%s", file).isEqualTo("rw-------");
      }
    } finally {
      umask.destroyForcibly();
      assertThat(umask.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldNotFollowWhatIsPlantedAtItsNames() throws Exception {
    Path victim = Files.writeString(temp.resolve("victim"), "untouched");
    for (String name : List.of("lock", "cursor")) {
      for (Planter planter : planters(victim)) {
        ownDirectory();
        planter.plant(directory.resolve(name));
        listener.warnings.clear();
        try (Spill spill = open(directory, listener)) {
          assertThat(spill.directory()).isEqualTo(directory.resolve("1"));
          appendAll(spill, texts(0, 3));
          assertThat(deliverAll(spill)).isEqualTo(texts(0, 3));
        }
        assertThat(listener.warnings)
            .singleElement()
            .asString()
            .contains(directory.resolve(name).toString(), "emove");
        SpillFaultTest.deleteRecursively(directory);
      }
    }
    long nextNumber = SegmentFormat.NUMBER_STEP;
    for (Planter planter : planters(victim)) {
      Files.createDirectories(directory);
      try (Spill spill = open(directory, listener)) {
        planter.plant(SlotListing.segmentPath(directory, nextNumber));
        appendAll(spill, texts(0, 3));
      }
      assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isSubsetOf(texts(0, 3));
      SpillFaultTest.deleteRecursively(directory);
    }
    assertThat(Files.readString(victim)).isEqualTo("untouched");
    assertThat(temp.resolve("nowhere")).doesNotExist();
  }

  /** A copy by hard links has left it so. Removed, it would have all of its segment come again. */
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldRepeatNothingOnceACursorWithASecondHardLinkIsReplacedAsTheWarningSays()
      throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 6));
      assertThat(deliver(spill, 3)).isEqualTo(texts(0, 3));
    }
    Path cursor = directory.resolve("cursor");
    Files.createLink(temp.resolve("linked"), cursor);
    try (Spill spill = open(directory, listener)) {
      assertThat(spill.directory()).isEqualTo(directory.resolve("1"));
      assertThat(spill.read()).isNull();
    }
    assertThat(listener.warnings)
        .singleElement()
        .asString()
        .contains(cursor + ": has a second hard link; put a copy in its place (cp -p, then mv)");
    Path copy = directory.resolve("copy");
    Files.copy(cursor, copy, StandardCopyOption.COPY_ATTRIBUTES);
    Files.move(copy, cursor, StandardCopyOption.REPLACE_EXISTING);
    try (Spill spill = open(directory, listener)) {
      assertThat(spill.directory()).isEqualTo(directory);
      assertThat(deliverAll(spill)).isEqualTo(texts(3, 6));
    }
    assertThat(listener.lost).hasValue(0);
  }

  private void ownDirectory() throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldWarnOfADirectoryThatOthersCanEnter() throws Exception {
    for (String mode : List.of("rwxrwxrwx", "rwxr-xr-x", "rwx--x---")) {
      listener.warnings.clear();
      ownDirectory();
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
      open(directory, listener).close();
      assertThat(listener.warnings)
          .singleElement()
          .asString()
          .contains("[" + directory + "]", "(" + mode + ")", "chmod 700");
    }
    listener.warnings.clear();
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    open(directory, listener).close();
    assertThat(listener.warnings).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldWarnOfADirectoryOfAnotherUser() throws Exception {
    ownDirectory();
    Assumptions.assumeTrue(
        new ProcessBuilder("chown", "1", directory.toString()).start().waitFor() == 0,
        "skipped, only root can give a directory away");
    open(directory, listener).close();
    assertThat(listener.warnings).singleElement().asString().contains("another user", "chown");
  }

  /** By whoever may rename it, or by a script that makes all directories anew. */
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldWarnOfADirectoryThatTookThePlaceOfItsOwn() throws Exception {
    try (Spill first = open(directory, listener);
        Spill second = open(directory, listener)) {
      for (Spill spill : List.of(second, first)) {
        Path own = spill.directory();
        Files.move(own, temp.resolve("moved from " + own.getFileName()));
        Files.createDirectory(own);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
        listener.warnings.clear();
        appendAll(spill, texts(0, 3));
        assertThat(listener.warnings)
            .singleElement()
            .asString()
            .contains("[" + own + "]", "(rwxrwxrwx)", "chmod 700");
      }
    }
  }

  private interface Planter {
    void plant(Path name) throws Exception;
  }

  private List<Planter> planters(Path victim) {
    return List.of(
        name -> Files.createSymbolicLink(name, victim),
        name -> Files.createSymbolicLink(name, temp.resolve("nowhere")),
        name -> new ProcessBuilder("mkfifo", name.toString()).start().waitFor(),
        name -> Files.createDirectory(name));
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldRefuseADirectoryThatIsALink() throws Exception {
    Files.createSymbolicLink(directory, temp);
    assertThatThrownBy(() -> open(directory, listener))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("not a directory");
    Files.delete(directory);
    Path dangling = Files.createSymbolicLink(directory, temp.resolve("nowhere"));
    assertThatThrownBy(() -> open(dangling, listener)).hasMessageContaining("not a directory");
  }

  @Test
  void shouldIgnoreTheCallersInterruptAndKeepItsFlag() throws Exception {
    Thread.currentThread().interrupt();
    try (Spill spill = SpillTesting.open(config(directory), listener)) {
      appendAll(spill, texts(0, 3));
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 3));
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(listener.failures).isEmpty();
  }

  @Test
  void shouldIgnoreForeignFiles() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("zzzzzzzzzzzzzzzz.seg"), "x", StandardCharsets.UTF_8);
    Files.writeString(directory.resolve("README"), "x", StandardCharsets.UTF_8);
    Files.write(directory.resolve("3fffffffffffffff.seg"), new byte[1000]);
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 3));
    }
    assertThat(directory.resolve("README")).exists();
  }
}
