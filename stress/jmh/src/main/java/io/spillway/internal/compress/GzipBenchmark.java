package io.spillway.internal.compress;

import io.spillway.jmh.LogText;
import io.spillway.jmh.WorkDirectory;
import io.spillway.rolling.FixedWindowRollingPolicy;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Compresses a rolled file into its archive, unpaced and without the fsync at the end: Spillway's
 * archive writer by level (default 6), beside {@link GZIPOutputStream} with the JDK's defaults.
 *
 * <p>Throughput, in files of 4 MB per second, because the work is continuous and bound by the CPU
 * of one core. The counter {@code archivedKilobytes} is kilobytes of archive per second; divided by
 * the score it is the size of an archive, and so shows what a level gains for its time.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(2)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
public class GzipBenchmark {
  private static final int TEXT_BYTES = 4 << 20;
  private static final int CHUNK_BYTES = 64 * 1024; // as the compressor reads a rolled file

  /** Called by JMH. */
  public GzipBenchmark() {}

  /** A log file, in memory as well, and the path of its archive. */
  @State(Scope.Thread)
  public static class Rolled {
    private byte[] text;
    private WorkDirectory directory;
    private Path raw;
    private Path archive;

    /** Called by JMH. */
    public Rolled() {}

    /** Creates the text. */
    @Setup(Level.Trial)
    public void make() throws IOException {
      text = LogText.bytes(TEXT_BYTES);
      directory = WorkDirectory.create();
      archive = directory.path().resolve("app.log.gz.part");
      raw = Files.write(directory.path().resolve("app.log"), text);
    }

    /** Deletes the directory. */
    @TearDown(Level.Trial)
    public void delete() {
      directory.close();
    }
  }

  /** Counts the size of archives. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Archives {
    /** Kilobytes of archive per second. */
    public double archivedKilobytes;

    /** Called by JMH. */
    public Archives() {}

    private void addAndDelete(Path archive) throws IOException {
      archivedKilobytes += Files.size(archive) / 1024.0;
      Files.delete(archive);
    }
  }

  /** The level of Spillway's archive writer. */
  @State(Scope.Thread)
  public static class Settings {
    /** zlib's level, 1 to 9. */
    @Param({"1", "6", "9"})
    public int level;

    private io.spillway.internal.compress.Archives.Settings settings;
    private final byte[] chunk = new byte[CHUNK_BYTES];

    /** Called by JMH. */
    public Settings() {}

    /** Creates the settings of the archive writer. */
    @Setup(Level.Trial)
    public void make() {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern("app.%i.log.gz");
      settings = new io.spillway.internal.compress.Archives.Settings();
      settings.format = ArchiveFormats.choose(policy);
      settings.level = level;
    }
  }

  /** Spillway's archive writer. */
  @Benchmark
  public void archiveWriter(Rolled rolled, Settings settings, Archives archives)
      throws IOException {
    try (ArchiveJob job = new ArchiveJob(rolled.raw, "app.log")) {
      job.open(null);
      job.compress(new ArchiveFiles(), rolled.archive, settings.settings);
      while (job.compressChunk(settings.chunk)) {
        // one step per chunk
      }
      job.end();
    }
    archives.addAndDelete(rolled.archive);
  }

  /** The JDK's {@link GZIPOutputStream} with its defaults, fed in the same chunks. */
  @Benchmark
  public void gzipOutputStream(Rolled rolled, Archives archives) throws IOException {
    try (OutputStream out = new GZIPOutputStream(new FileOutputStream(rolled.archive.toFile()))) {
      for (int at = 0; at < rolled.text.length; at += CHUNK_BYTES) {
        out.write(rolled.text, at, Math.min(CHUNK_BYTES, rolled.text.length - at));
      }
    }
    archives.addAndDelete(rolled.archive);
  }
}
