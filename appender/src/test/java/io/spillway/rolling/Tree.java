package io.spillway.rolling;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;

/** A directory with all that is below it, archives unpacked, while others may be changing it. */
final class Tree {
  static final String DIRECTORY = "(directory)";

  private Tree() {}

  /** Names, relative, with their contents; null if it changed meanwhile. */
  static Map<String, String> of(Path root) {
    return of(root, true);
  }

  /**
   * Only the names, at a moment at which the tree does not change: two walks that agree, for one
   * that meets a rename may see the file under both names, or under none.
   */
  static Set<String> names(Path root) {
    Map<String, String> before = of(root, false);
    while (true) {
      Map<String, String> tree = of(root, false);
      if (tree != null && tree.equals(before)) {
        return tree.keySet();
      }
      before = tree;
    }
  }

  private static Map<String, String> of(Path root, boolean contents) {
    Map<String, String> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        String name = root.relativize(path).toString();
        if (!name.isEmpty()) {
          tree.put(name, !contents || Files.isDirectory(path) ? DIRECTORY : content(path));
        }
      }
      return tree;
    } catch (NoSuchFileException gone) {
      return null;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return null;
      }
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a file, unpacked; throws if an archive is damaged. */
  static String content(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file); // at once: it may be renamed, but not changed
    String name = file.getFileName().toString();
    InputStream in = new ByteArrayInputStream(bytes);
    if (name.endsWith(".part")) {
      return ""; // unfinished
    }
    if (name.endsWith(".gz") || name.endsWith(GatedFormat.SUFFIX)) {
      in = new GZIPInputStream(in);
    } else if (name.endsWith(".zip")) {
      ZipInputStream zip = new ZipInputStream(in);
      zip.getNextEntry();
      in = zip;
    }
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }
}
