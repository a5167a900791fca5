package io.spillway.internal.codec;

import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Strings that repeat within a run, such as names of loggers, threads, keys and classes, and
 * message patterns.
 */
final class NameCodec {
  // What a reference to a name or a logger context starts with.
  static final int NULL = 0;
  static final int LITERAL = 1;
  static final int DEFINITION = 2;
  static final int FIRST_REFERENCE = 3;

  static final int MAX_NAMES = 4096;

  private NameCodec() {}

  /**
   * Writes strings that repeat within a run (logger, thread, key and class names, message patterns)
   * once and as small numbers from then on.
   *
   * <p>An open-addressed table with a bounded search, so that names chosen to collide cost the
   * attacker compactness and us nothing. Entries leave in the reverse order of their coming, which
   * is what makes {@link #rollBack} a matter of clearing slots.
   */
  static final class Writer {
    private static final int SLOTS = 4 * MAX_NAMES;
    private static final int MAX_PROBES = 16;

    /** Longer strings are not worth hashing. */
    private static final int MAX_NAME_CHARS = 1024;

    private final Output out;
    private final String[] names = new String[SLOTS];
    private final int[] numbers = new int[SLOTS];
    private final int[] slotOfNumber = new int[MAX_NAMES];
    private int count;

    Writer(Output out) {
      this.out = out;
    }

    int count() {
      return count;
    }

    /** Forgets all but the first {@code newCount} names. */
    void rollBack(int newCount) {
      while (count > newCount) {
        names[slotOfNumber[--count]] = null;
      }
    }

    void write(String name) {
      if (name == null) {
        out.varint(NULL);
        return;
      }
      if (name.length() > MAX_NAME_CHARS) {
        literal(name);
        return;
      }
      int hash = name.hashCode();
      int slot = (hash ^ hash >>> 15) & SLOTS - 1;
      for (int probe = 0; probe < MAX_PROBES; probe++) {
        String known = names[slot];
        if (known == null) {
          define(name, slot);
          return;
        }
        if (known.equals(name)) {
          out.varint(FIRST_REFERENCE + numbers[slot]);
          return;
        }
        slot = slot + 1 & SLOTS - 1;
      }
      literal(name);
    }

    /** The keys are names. */
    void writeMap(Map<String, String> map) {
      int size = map.size();
      out.varint(size);
      if (size == 0) {
        return;
      }
      int written = 0;
      for (Map.Entry<String, String> entry : map.entrySet()) {
        write(entry.getKey());
        out.string(entry.getValue());
        written++;
      }
      if (written != size) {
        throw new ConcurrentModificationException(
            size + " entries announced, " + written + " found");
      }
    }

    private void define(String name, int slot) {
      if (count == MAX_NAMES) {
        literal(name);
        return;
      }
      out.varint(DEFINITION);
      out.string(name);
      names[slot] = name;
      numbers[slot] = count;
      slotOfNumber[count++] = slot;
    }

    private void literal(String name) {
      out.varint(LITERAL);
      out.string(name);
    }
  }

  /** Reads what {@link Writer} wrote. */
  static final class Reader {
    private static final int MIN_ENTRY_BYTES = 2;

    private final Input in;
    private String[] names = new String[32];
    private int count;

    Reader(Input in) {
      this.in = in;
    }

    String read() throws CodecException {
      int tag = in.varint();
      switch (tag) {
        case NULL:
          return null;
        case LITERAL:
          return present();
        case DEFINITION:
          return define(present());
        default:
          int number = tag - FIRST_REFERENCE;
          if (number >= count) {
            throw new CodecException("name " + number + " of " + count);
          }
          return names[number];
      }
    }

    /** A name where null has no meaning. */
    String readPresent() throws CodecException {
      return requirePresent(read());
    }

    /** In the order in which it was written. */
    Map<String, String> readMap() throws CodecException {
      int size = in.count(MIN_ENTRY_BYTES);
      if (size == 0) {
        return Collections.emptyMap();
      }
      Map<String, String> map = new LinkedHashMap<>(size + size / 2 + 1);
      for (int i = 0; i < size; i++) {
        map.put(read(), in.string());
      }
      return map;
    }

    private String define(String name) throws CodecException {
      if (count == MAX_NAMES) {
        throw new CodecException("more than " + MAX_NAMES + " names");
      }
      if (count == names.length) {
        names = Arrays.copyOf(names, 2 * count);
      }
      names[count++] = name;
      return name;
    }

    private String present() throws CodecException {
      return requirePresent(in.string());
    }

    private static String requirePresent(String name) throws CodecException {
      if (name == null) {
        throw new CodecException("null where a name belongs");
      }
      return name;
    }
  }
}
