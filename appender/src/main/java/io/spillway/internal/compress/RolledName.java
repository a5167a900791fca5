package io.spillway.internal.compress;

import io.spillway.internal.compress.ArchiveNames.ShortName;
import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file from its rollover until it gets its raw name. The file lies beside the active
 * file, as {@code app.log.2026-11-23T00-00-00.000Z.000017.rolled}.
 *
 * @param path the path of the file
 * @param period an instant of the period that the file belongs to
 * @param sequence number of the rollover, the earliest is the lowest
 */
public record RolledName(Path path, Instant period, long sequence) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final Pattern ENDING =
      Pattern.compile("\\.([-+]?\\d{4,9}-\\d\\d-\\d\\dT[-.\\d]{12}Z)\\.(\\d{6,18})\\.rolled");

  /** Half of what {@link #ENDING} matches, so that counting on from it never reaches the end. */
  private static final long MOST_COUNTED = 500_000_000_000_000_000L;

  static final Comparator<RolledName> BY_SEQUENCE = Comparator.comparingLong(RolledName::sequence);
  private static final int MOST_BYTES = 200; // of 255, to leave room for endings

  /**
   * Returns whether the next rollovers may count on from this one.
   *
   * @return false near the end of all sequences, which no rollover reaches: another program has
   *     made the file, and names that count on from it would not be matched
   */
  public boolean isCounted() {
    return sequence < MOST_COUNTED;
  }

  /** Returns the beginning of the names: the active file's name, or its short name if too long. */
  private static String beginning(Path active) {
    String name = active.getFileName().toString();
    return ShortName.bytes(name) <= MOST_BYTES ? name : ShortName.of(name, ShortName.digest(name));
  }

  /**
   * Returns the directory where files wait that cannot be renamed to their archives' directory.
   *
   * @param active the file
   * @return a directory beside it
   */
  public static Path stagingDirectory(Path active) {
    String name = active.getFileName() + ".rolled";
    return active.resolveSibling(ShortName.fits(name) ? name : beginning(active) + ".rolled");
  }

  /**
   * Returns the name of an active file after its rollover.
   *
   * @param active the file
   * @param period an instant of the file's period, in milliseconds
   * @param sequence higher than the sequences of the files that wait
   * @return a name beside the active file
   */
  public static RolledName of(Path active, Instant period, long sequence) {
    String name =
        String.format(
            Locale.ROOT, // whose digits can be parsed again
            "%s.%s.%06d.rolled",
            beginning(active),
            TIME.format(period),
            sequence);
    return new RolledName(active.resolveSibling(name), period, sequence);
  }

  /** Parses a file's name; returns null if it is no rolled name of the active file. */
  private static RolledName parse(Path active, Path file) {
    String beginning = beginning(active);
    String name = file.getFileName().toString();
    if (!name.startsWith(beginning)) {
      return null;
    }
    Matcher ending = ENDING.matcher(name.substring(beginning.length()));
    if (!ending.matches()) {
      return null;
    }
    try {
      Instant period = Instant.from(TIME.parse(ending.group(1)));
      return new RolledName(file, period, Long.parseLong(ending.group(2)));
    } catch (DateTimeException foreign) {
      return null;
    }
  }

  /**
   * Returns the files that wait for their raw names.
   *
   * @param files the disk
   * @param active the active file, whether it exists or not
   * @return the files in the order of their rollovers
   * @throws IOException if the directory cannot be listed
   */
  public static List<RolledName> list(Disk files, Path active) throws IOException {
    List<RolledName> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = files.list(active.toAbsolutePath().getParent())) {
      for (Path entry : entries) {
        RolledName name = parse(active, entry);
        Disk.State state = name == null ? null : files.state(entry);
        if (state != null && state.regular()) {
          found.add(name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    found.sort(BY_SEQUENCE);
    return found;
  }
}
