package io.spillway.internal.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Texts of the C library in the language of the process, read from the catalogs that glibc reads:
 * GNU gettext's {@code .mo} files. Without a catalog glibc uses English as well.
 */
final class SystemTexts {
  private static final List<Path> ROOTS =
      List.of(Path.of("/usr/share/locale"), Path.of("/usr/share/locale-langpack"));
  private static final List<String> VARIABLES =
      List.of("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG");
  private static final int MAGIC = 0x950412de;
  private static final int MOST_BYTES = 4 << 20; // glibc's have 200 KB

  private static final Map<String, Set<String>> KNOWN = new ConcurrentHashMap<>();

  private SystemTexts() {}

  /** Returns the English text and its translations for the process, in lower case. */
  static Set<String> of(String english) {
    Set<String> known = KNOWN.get(english);
    if (known == null) {
      known = new HashSet<>(List.of(english.toLowerCase(Locale.ROOT)));
      try {
        for (Path catalog : catalogs(System.getenv())) {
          String text = translation(catalog, english);
          if (!text.isEmpty()) {
            known.add(text.toLowerCase(Locale.ROOT));
          }
        }
        KNOWN.put(english, known);
      } catch (IOException e) {
        return known; // perhaps no descriptor: the next failure reads again
      } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
        KNOWN.put(english, known); // not a catalog, or of an unknown encoding
      }
    }
    return known;
  }

  /**
   * Returns the catalogs of all languages that the environment names; an unused one does no harm.
   */
  static Set<Path> catalogs(Map<String, String> environment) {
    Set<Path> catalogs = new HashSet<>();
    for (String name : VARIABLES) {
      for (String value : environment.getOrDefault(name, "").split(":")) {
        String locale = value.replaceFirst("[.][^@]*", ""); // without the encoding
        addCatalogs(locale, catalogs);
        addCatalogs(locale.replaceFirst("@.*", ""), catalogs);
        addCatalogs(locale.replaceFirst("_[^@]*", ""), catalogs);
        addCatalogs(locale.replaceFirst("[_@].*", ""), catalogs);
      }
    }
    return catalogs;
  }

  private static void addCatalogs(String locale, Set<Path> catalogs) {
    if (locale.matches("[A-Za-z]{2,}[A-Za-z0-9_@-]*")) {
      for (Path root : ROOTS) {
        catalogs.add(root.resolve(locale).resolve("LC_MESSAGES/libc.mo"));
      }
    }
  }

  /** Returns the translation in a catalog; empty if there is none. */
  static String translation(Path catalog, String english) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(catalog)) {
      bytes = in.readNBytes(MOST_BYTES);
    } catch (NoSuchFileException | FileNotFoundException none) {
      return "";
    }
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (words.getInt(0) != MAGIC) {
      words.order(ByteOrder.BIG_ENDIAN);
    }
    String header = text(words, "", StandardCharsets.ISO_8859_1);
    String charset = header.replaceFirst("(?s).*charset=([^\\s;]+).*", "$1");
    return text(words, english, Charset.forName(charset));
  }

  private static String text(ByteBuffer words, String english, Charset charset) {
    byte[] wanted = english.getBytes(StandardCharsets.US_ASCII);
    int strings = words.getInt(8);
    int originals = words.getInt(12);
    int translations = words.getInt(16);
    for (int i = 0; i < strings; i++) {
      int original = originals + 8 * i;
      if (Arrays.equals(wanted, bytes(words, original))) {
        return new String(bytes(words, translations + 8 * i), charset);
      }
    }
    return "";
  }

  /** Returns the text of a table entry, which is a length, then an offset. */
  private static byte[] bytes(ByteBuffer words, int entry) {
    int offset = words.getInt(entry + 4);
    return Arrays.copyOfRange(words.array(), offset, offset + words.getInt(entry));
  }
}
