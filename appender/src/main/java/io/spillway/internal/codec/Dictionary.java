package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes what repeats within a run once, and as a small number from then on: names of loggers,
 * threads, keys and classes, message patterns, and logger contexts.
 */
final class Dictionary {
  // What a reference to a name or a logger context starts with.
  static final int NULL = 0;
  private static final int LITERAL = 1;
  private static final int DEFINITION = 2;
  private static final int FIRST_REFERENCE = 3;

  static final int MAX_NAMES = 4096;
  static final int MAX_CONTEXTS = 64;

  private Dictionary() {}

  /**
   * Writes names and logger contexts, and numbers them.
   *
   * <p>An open-addressed hash table with a bounded number of probes, so that names chosen to
   * collide make the payload larger but cost no time. Entries are removed in the reverse order of
   * their insertion; therefore {@link #rollBack} only clears slots.
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
    private final List<LoggerContextVO> contexts = new ArrayList<>();
    private int markedCount;
    private int markedContexts;

    Writer(Output out) {
      this.out = out;
    }

    /** Records how many entries there are. */
    void mark() {
      markedCount = count;
      markedContexts = contexts.size();
    }

    /** Removes the entries that were added after {@link #mark}. */
    void rollBack() {
      forget(markedCount, markedContexts);
    }

    /** Removes all entries. */
    void clear() {
      forget(0, 0);
    }

    private void forget(int newCount, int newContexts) {
      while (count > newCount) {
        names[slotOfNumber[--count]] = null;
      }
      while (contexts.size() > newContexts) {
        contexts.remove(contexts.size() - 1);
      }
    }

    void name(String name) {
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

    /** Writes a map, its keys as names and its values as strings. */
    void map(Map<String, String> map) {
      int size = map.size();
      out.varint(size);
      if (size == 0) {
        return;
      }
      int written = 0;
      for (Map.Entry<String, String> entry : map.entrySet()) {
        if (++written > size) {
          break; // the iterator may never end
        }
        name(entry.getKey());
        out.string(entry.getValue());
      }
      if (written != size) {
        throw new ConcurrentModificationException(
            size + " entries announced, " + written + " found");
      }
    }

    void context(LoggerContextVO context) {
      if (context == null) {
        out.varint(NULL);
        return;
      }
      int number = find(context);
      if (number >= 0) {
        out.varint(FIRST_REFERENCE + number);
        return;
      }
      boolean define = contexts.size() < MAX_CONTEXTS;
      out.varint(define ? DEFINITION : LITERAL);
      out.string(context.getName());
      out.zigzag(context.getBirthTime());
      Map<String, String> properties = context.getPropertyMap();
      out.u8(properties == null ? 0 : 1);
      if (properties != null) {
        map(properties);
      }
      if (define) {
        contexts.add(context);
      }
    }

    private int find(LoggerContextVO context) {
      for (int i = 0; i < contexts.size(); i++) {
        if (contexts.get(i) == context) {
          return i;
        }
      }
      for (int i = 0; i < contexts.size(); i++) {
        if (same(contexts.get(i), context)) {
          return i;
        }
      }
      return -1;
    }

    // Contexts are compared by value, since events that came over a socket may each hold a copy.
    // Layouts print the properties in order, so that the order is part of the value.
    private static boolean same(LoggerContextVO a, LoggerContextVO b) {
      Map<String, String> first = a.getPropertyMap();
      Map<String, String> second = b.getPropertyMap();
      return a.getBirthTime() == b.getBirthTime()
          && Objects.equals(a.getName(), b.getName())
          && Objects.equals(first, second)
          && (first == null
              || new ArrayList<>(first.entrySet()).equals(new ArrayList<>(second.entrySet())));
    }
  }

  /** Reads what {@link Writer} wrote. */
  static final class Reader {
    private static final int MIN_ENTRY_BYTES = 2;

    private final Input in;
    private String[] names = new String[32];
    private int count;
    private final List<LoggerContextVO> contexts = new ArrayList<>(2);

    Reader(Input in) {
      this.in = in;
    }

    String name() throws CodecException {
      int tag = in.varint();
      switch (tag) {
        case NULL:
          return null;
        case LITERAL:
          return present(in.string());
        case DEFINITION:
          return define(present(in.string()));
        default:
          int number = tag - FIRST_REFERENCE;
          if (number >= count) {
            throw new CodecException("name " + number + " of " + count);
          }
          return names[number];
      }
    }

    /** Reads a name that must not be null. */
    String presentName() throws CodecException {
      return present(name());
    }

    private static String present(String name) throws CodecException {
      if (name == null) {
        throw new CodecException("null where a name belongs");
      }
      return name;
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

    /** Reads a map, in the order in which it was written. */
    Map<String, String> map() throws CodecException {
      int size = in.count(MIN_ENTRY_BYTES);
      if (size == 0) {
        return Collections.emptyMap();
      }
      Map<String, String> map = new Ordered(size + size / 2 + 1);
      for (int i = 0; i < size; i++) {
        map.put(name(), in.string());
      }
      return map;
    }

    LoggerContextVO context() throws CodecException {
      int tag = in.varint();
      switch (tag) {
        case NULL:
          return null;
        case LITERAL:
          return contextBody();
        case DEFINITION:
          if (contexts.size() == MAX_CONTEXTS) {
            throw new CodecException("more than " + MAX_CONTEXTS + " logger contexts");
          }
          LoggerContextVO context = contextBody();
          contexts.add(context);
          return context;
        default:
          int number = tag - FIRST_REFERENCE;
          if (number >= contexts.size()) {
            throw new CodecException("logger context " + number + " of " + contexts.size());
          }
          return contexts.get(number);
      }
    }

    private LoggerContextVO contextBody() throws CodecException {
      String name = in.string();
      long birthTime = in.zigzag();
      int hasProperties = in.u8();
      if (hasProperties > 1) {
        throw new CodecException("logger context flag " + hasProperties);
      }
      Map<String, String> properties = hasProperties == 1 ? map() : null;
      return new LoggerContextVO(name, properties, birthTime);
    }
  }

  /** An ordered map. Serialized as a HashMap, like Logback's maps: its receiver takes no other. */
  private static final class Ordered extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1L;

    Ordered(int capacity) {
      super(capacity);
    }

    private Object writeReplace() {
      return new HashMap<>(this);
    }
  }
}
