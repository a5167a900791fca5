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
 * The file that lists the archives that a listener has taken, and those that it is owed: owed
 * archives of an earlier {@code fileNamePattern} could not be found without it. The list lies
 * beside {@code <file>}, as {@code app.log.taken}, or with a digest in its name where that name is
 * too long for a file; without {@code <file>} it lies in the directory of the pattern, with a
 * digest of the pattern in its name, so that no two appenders share a list. It is UTF-8 text, with
 * names relative to its directory:
 *
 * <pre>
 *   spillway archives 1
 *   taken app.2026-05-10.log.gz
 *   owed app.2026-05-11.log.gz
 * </pre>
 *
 * <p>The list is replaced as a whole, after an fsync. A file in its place that is no such list, is
 * too long, belongs to another user or is not regular is renamed, if necessary without being
 * opened: without a list each archive is given again, while with a wrong file in its place none
 * would be. Not thread-safe.
 */
final class TakenList {
  private static final int MOST_BYTES = 256 << 20; // more than a list of millions of archives has
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
  private boolean ownerUnknown; // the owner of the list is not determined

  /** Creates the list of a policy. */
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

  /** Returns a name that does not depend on the suffix of the format, which may change. */
  private static String nameFor(ArchivingPolicy policy) {
    String pattern = policy.getFileNamePattern();
    String stem = pattern.substring(0, pattern.length() - policy.names().suffix().length());
    String name = pattern.substring(pattern.lastIndexOf('/') + 1).replaceAll("[^\\w.-]", "");
    return ArchiveNames.shortened(name, stem);
  }

  /** The content of a list. */
  record Content(Set<String> taken, Set<String> owed) {
    private Content() {
      this(new TreeSet<>(), new TreeSet<>());
    }
  }

  /** Returns the name of an archive in the list. */
  String name(Path archive) {
    return directory.relativize(archive).toString();
  }

  /** Returns the archive that a name in the list means. */
  Path archive(String name) {
    return directory.resolve(name).normalize();
  }

  /** Returns the directory of the list, to which names are relative; a name may lead out of it. */
  Path directory() {
    return directory;
  }

  /** Reads the list; returns an empty one if there is none, or none that can be read. */
  Content read() throws IOException {
    String text = text();
    Content content = text == null ? new Content() : parsed(text);
    if (content == null) {
      setAside("is no list of archives");
      return new Content();
    }
    return content;
  }

  /**
   * Returns the text; null if there is no list or it was set aside; throws if it cannot be opened.
   */
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

  /** Returns whether the list is another user's; if unknown, as on a full disk, it is read. */
  private boolean isKnownAsAnothers() {
    try {
      return isReplaced();
    } catch (IOException untold) {
      return false;
    }
  }

  /**
   * Returns whether the list's owner is not determined yet. Until {@link #isReplaced} does it, the
   * list must not be replaced, and what only the list names must not be given.
   */
  boolean isDoubtful() {
    return ownerUnknown;
  }

  /**
   * Returns whether the list belongs to another user. A user who may only create files in the
   * directory could list files that only the user of this process may read, and the listener would
   * give them away or delete them. Where even a new file of this process seems to belong to another
   * user, as on network file systems that give all files to one user, the owner means nothing.
   *
   * @throws IOException if the owner cannot be determined now
   */
  boolean isReplaced() throws IOException {
    ownerUnknown = true;
    boolean anothers =
        files.exists(file) && !files.isOwn(file) && !files.isOwnedByRoot(file) && isOwnerTold();
    ownerUnknown = false;
    return anothers;
  }

  /** Returns whether a new file of this process is shown as its user's. */
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

  /** Parses a list; returns null if it is damaged. */
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

  /** Renames a list of another user, so that it is neither read again nor blocks a new list. */
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
