package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.SpillFiles;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Promises 9 and 10: whatever is in the directory, a start throws nothing and ends, and no event is
 * delivered that was not accepted. {@code -Dspillway.test.full=true} for the long form.
 */
class SpillFuzzTest {
  private static final int ROUNDS = Boolean.getBoolean("spillway.test.full") ? 200_000 : 1500;

  @TempDir(factory = InMemory.class)
  Path temp;

  /** Three runs with several segments each, some ended by a kill. */
  private List<byte[]> originals(List<String> names) throws IOException {
    Path directory = temp.resolve("original");
    int event = 0;
    for (int run = 0; run < 3; run++) {
      FaultyFiles files = new FaultyFiles();
      Spill spill = Spills.open(Spills.config(directory), files, new Listened());
      for (int i = 0; i < 12; i++) {
        if (i % 4 == 3) {
          files.failing.add(i == 7 ? "truncate" : "write"); // ends a segment
        }
        Spills.append(spill, event, event + 1 + i % 3, 10 * i);
        event += 1 + i % 3;
        files.heal();
        files.elapse(1000);
      }
      Spills.deliver(spill, run);
      Path killed = run == 1 ? Spills.copy(directory, temp.resolve("killed")) : directory;
      spill.close();
      directory = killed;
    }
    List<byte[]> contents = new ArrayList<>();
    for (Path path : Spills.segments(directory)) {
      names.add(path.getFileName().toString());
      contents.add(Files.readAllBytes(path));
    }
    assertThat(names.size()).isGreaterThan(4);
    return contents;
  }

  private static byte[] mutated(byte[] original, List<byte[]> all, Random random) {
    byte[] bytes = original.clone();
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(9)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      case 1 -> bytes[random.nextInt(64)] = (byte) random.nextInt();
      case 2 -> bytes = Arrays.copyOf(bytes, at);
      case 3 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(300));
      case 4 -> Arrays.fill(bytes, at, bytes.length, (byte) 0);
      case 5 -> random.nextBytes(bytes);
      case 6 -> { // a part of another segment
        byte[] other = all.get(random.nextInt(all.size()));
        int length = Math.min(bytes.length - at, random.nextInt(other.length));
        System.arraycopy(other, other.length - length, bytes, at, length);
      }
      case 7 -> { // a part is missing
        byte[] cut = Arrays.copyOf(bytes, at);
        int from = at + random.nextInt(bytes.length - at);
        bytes = Arrays.copyOf(cut, at + bytes.length - from);
        System.arraycopy(original, from, bytes, at, bytes.length - at);
      }
      default -> bytes = original;
    }
    return bytes;
  }

  @Test
  void shouldDeliverNothingThatWasNotAccepted() throws IOException {
    List<String> names = new ArrayList<>();
    List<byte[]> originals = originals(names);
    long start = System.nanoTime();
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      Path directory = temp.resolve("round" + round);
      new SpillFiles().createDirectory(directory);
      for (int i = 0; i < names.size(); i++) {
        boolean left = random.nextInt(3) > 0;
        byte[] bytes = left ? originals.get(i) : mutated(originals.get(i), originals, random);
        if (random.nextInt(20) > 0) {
          int name = random.nextInt(30) > 0 ? i : random.nextInt(names.size());
          Files.write(directory.resolve(names.get(name)), bytes);
        }
      }
      Listened listener = new Listened();
      Spill spill = Spills.open(Spills.config(directory), new FaultyFiles(), listener);
      String what = "round " + round + ": " + listener.losses;
      Spills.append(spill, 1000, 1003, 50);
      List<Integer> read = Spills.deliver(spill, 1000); // checks the payloads' own count
      assertThat(spill.first()).as(what).isNull();
      assertThat(read).as(what).endsWith(1000, 1001, 1002);
      Set<Integer> distinct = new HashSet<>(read);
      assertThat(distinct).as(what).allMatch(event -> event >= 0 && event < 100 || event >= 1000);
      assertThat(spill.events()).as(what).isZero();
      assertThat(spill.bytes()).as(what).isZero();
      spill.close();
      assertThat(listener.failures).as(what).isEmpty();
    }
    assertThat((System.nanoTime() - start) / ROUNDS).as("nanoseconds").isLessThan(1_000_000_000L);
  }
}
