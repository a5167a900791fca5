package io.spillway.rolling;

import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.metrics.Reports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * The file that says which archives a listener has taken, and which it is owed: those of an earlier
 * {@code fileNamePattern} nobody would find again. It lies beside {@code <file>}, as {@code
 * app.log.taken}, or with a digest in its name where that is too long for a file; without {@code
 * <file>} in the directory of the pattern, with a digest of the pattern in its name, so that no two
 * appenders share one. UTF-8, names relative to its directory:
 *
 * <pre>
 *   spillway archives 1
 *   taken app.2026-05-10.log.gz
 *   owed app.2026-05-11.log.gz
 * </pre>
 *
 * <p>It is replaced as a whole, after an fsync. What is no such list, is too long, is another
 * user's or no regular file, is set aside, unopened if need be: without a list each archive is
 * given again, with one that stands in the way none would be. Not thread-safe.
 */
final class TakenList {
  private static final int MOST_BYTES = 256 << 20; // of millions of archives, more than it can get
  private static final String HEAD = "spillway archives 1";
  private static final String TAKEN = "taken ";
  private static final String OWED = "owed ";
  private static final String ENDING = ".taken";
  private static final String DAMAGED = ".damaged";
  private static final String LONGEST_ENDING = ENDING + DAMAGED + ".1000";

  private final Path file;
  private final Path directory;
  private final Disk files;
  private final Reports reports;
  private boolean doubtful; // whose it is could not be told

  /** Of one policy. */
  TakenList(ArchivingPolicy policy) {
    Path log = policy.filePath();
    this.file =
        log == null
            ? policy.pattern().root().resolve(nameFor(policy) + ENDING)
            : log.resolveSibling(
                ArchiveNames.fitting(log.getFileName().toString(), LONGEST_ENDING) + ENDING);
    this.directory = file.getParent();
    this.files = policy.files;
    this.reports = policy.reports;
  }

  /** Without the suffix of the format, which may change. */
  private static String nameFor(ArchivingPolicy policy) {
    String pattern = policy.getFileNamePattern();
    String stem = pattern.substring(0, pattern.length() - policy.names().suffix().length());
    String name = pattern.substring(pattern.lastIndexOf('/') + 1).replaceAll("[^\\w.-]", "");
    return ArchiveNames.shortened(name, stem);
  }

  /** What a list says. */
  record Content(Set<String> taken, Set<String> owed) {
    private Content() {
      this(new TreeSet<>(), new TreeSet<>());
    }
  }

  /** What an archive is called in the list. */
  String name(Path archive) {
    return directory.relativize(archive).toString();
  }

  /** The archive of a name. */
  Path archive(String name) {
    return directory.resolve(name).normalize();
  }

  /** Where the list is, which alone a name of it may lead out of. */
  Path directory() {
    return directory;
  }

  /** Empty if there is none. */
  Content read() throws IOException {
    String text = text();
    Content content = text == null ? new Content() : parsed(text);
    if (content == null) {
      setAside("is no list of archives");
      return new Content();
    }
    return content;
  }

  /** Null if there is none, or none that can be read; what cannot be opened now is an exception. */
  private String text() throws IOException {
    Disk.State state = files.state(file);
    if (state == null) {
      return null;
    }
    if (!state.regular() || state.bytes() > MOST_BYTES) {
      setAside(state.regular() ? "has more than " + MOST_BYTES + " bytes" : "is no regular file");
      return null;
    }
    if (isKnownAsAnothers()) {
      setAsideAsAnothers();
      return null;
    }
    byte[] bytes = new byte[(int) state.bytes()];
    try (DiskFile in = files.openForReading(file)) {
      in.read(0, bytes, 0, bytes.length);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException damaged) {
      setAside("is no text");
      return null;
    }
  }

  /** A full disk may keep it from being told, and does not keep the list from being read. */
  private boolean isKnownAsAnothers() {
    try {
      return isAnothers();
    } catch (IOException untold) {
      return false;
    }
  }

  /**
   * Whether it could not be told yet whose the list is. Until {@link #isAnothers} tells, it must
   * not be replaced, and what it alone names must not be given away.
   */
  boolean isDoubtful() {
    return doubtful;
  }

  /**
   * Who may only create files here could name files that only this user may read, for the listener
   * to give away or delete. Where even a new file of ours seems to be another's, as on network file
   * systems that give all files to one user, the owner says nothing.
   *
   * @throws IOException if it cannot be told now
   */
  boolean isAnothers() throws IOException {
    doubtful = true;
    boolean anothers =
        files.exists(file) && !files.isOwn(file) && !files.isRoots(file) && isOwnerTold();
    doubtful = false;
    return anothers;
  }

  /** Whether a new file of ours is ours. */
  private boolean isOwnerTold() throws IOException {
    Path made = unfinished();
    files.delete(made);
    files.create(made).close();
    try {
      return files.isOwn(made);
    } finally {
      files.delete(made);
    }
  }

  /** Null if it is damaged. */
  private Content parsed(String text) {
    Content content = new Content();
    String[] lines = text.split("\n");
    if (!lines[0].equals(HEAD) || !text.endsWith("\n")) { // its last name may be cut
      return null;
    }
    for (int i = 1; i < lines.length; i++) {
      String line = lines[i];
      boolean taken = line.startsWith(TAKEN);
      if (!taken && !line.startsWith(OWED)) {
        return null;
      }
      String name = line.substring(taken ? TAKEN.length() : OWED.length());
      try {
        archive(name);
      } catch (InvalidPathException noName) {
        return null;
      }
      (taken ? content.taken : content.owed).add(name);
    }
    return content;
  }

  /** So that it is neither read again nor in the way. */
  void setAsideAsAnothers() throws IOException {
    setAside("belongs to another user");
  }

  private void setAside(String why) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + DAMAGED);
    for (int number = 1; files.exists(aside); number++) {
      aside = file.resolveSibling(file.getFileName() + DAMAGED + "." + number);
    }
    files.rename(file, aside);
    reports.warn(
        "archive.listener.list",
        "The list of the archives that the archive listener has taken ["
            + file
            + "] "
            + why
            + " and is now ["
            + aside
            + "]. Archives that are there are given again. To do: see who wrote it, and delete"
            + " it.");
  }

  /** Replaces the list. */
  void write(Collection<String> taken, Collection<String> owed) throws IOException {
    StringBuilder text = new StringBuilder(HEAD).append('\n');
    append(text, TAKEN, taken);
    append(text, OWED, owed);
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    Path next = unfinished();
    files.delete(next);
    files.createParents(next);
    try (DiskFile out = files.create(next)) {
      out.write(0, bytes, 0, bytes.length);
      out.sync();
    }
    files.replace(next, file);
    files.syncDirectory(directory);
  }

  /** A name with a line feed cannot be listed; its archive is given again after a restart. */
  private static void append(StringBuilder text, String what, Collection<String> names) {
    for (String name : names) {
      if (name.indexOf('\n') < 0) {
        text.append(what).append(name).append('\n');
      }
    }
  }

  private Path unfinished() {
    return file.resolveSibling(file.getFileName() + ".new");
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
