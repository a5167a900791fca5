package io.spillway.internal.codec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

/** Writes and reads markers with their references, which may be cyclic. */
final class MarkerCodec {
  /** Most references written of one event's markers, because an iterator may never end. */
  private static final int MAX_REFERENCES = 1 << 16;

  private MarkerCodec() {}

  /**
   * Writes an event's markers as a graph: first the list, by number, then each marker with the
   * numbers of its references. Does not recurse, so that circular references end and deep ones do
   * not overflow the stack. Beyond the limit, a reference to a marker that says so takes the place
   * of what is left out.
   */
  static final class Writer {
    private static final Spilled LEFT_OUT = leftOut();

    private final Output out;
    private final Dictionary.Writer dictionary;
    private final List<Integer> references = new ArrayList<>();
    private List<Marker> nodes; // by their numbers
    private Map<Marker, Integer> numbers; // by identity
    private int room;

    Writer(Output out, Dictionary.Writer dictionary) {
      this.out = out;
      this.dictionary = dictionary;
    }

    private static Spilled leftOut() {
      String name =
          "[left out: Spillway writes " + MAX_REFERENCES + " references of an event's markers]";
      Spilled mark = new Spilled();
      mark.fill(name, ValueCodec.Text.of(name), new Spilled[0]);
      return mark;
    }

    void write(List<Marker> markers, EventCodec.Foreign how) {
      nodes = new ArrayList<>();
      numbers = new IdentityHashMap<>(8);
      room = MAX_REFERENCES;
      try {
        int size = markers.size();
        out.varint(size);
        for (int i = 0; i < size; i++) {
          out.varint(1 + number(markers.get(i)));
        }
        for (int i = 0; i < nodes.size(); i++) {
          node(nodes.get(i), how);
        }
      } finally {
        nodes = null;
        numbers = null;
      }
    }

    @SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
    private void node(Marker marker, EventCodec.Foreign how) {
      String name = marker.getName();
      dictionary.name(name);
      ValueCodec.Text text =
          marker instanceof Spilled spilled ? spilled.text() : ValueCodec.Text.render(marker, how);
      boolean nameOnly = !text.failed() && name != null && name.equals(text.text());
      out.u8(nameOnly ? 1 : 0);
      if (!nameOnly) {
        text.write(out);
      }
      references.clear();
      if ((!how.careful() || !ForeignObjects.isOne(marker)) && marker.hasReferences()) {
        Iterator<Marker> iterator = marker.iterator();
        for (; room > 0 && iterator.hasNext(); room--) {
          int number = number(iterator.next());
          if (number >= 0) {
            references.add(number);
          }
        }
        if (room == 0 && iterator.hasNext()) {
          references.add(number(LEFT_OUT));
        }
      }
      out.varint(references.size());
      for (int i = 0; i < references.size(); i++) {
        out.varint(references.get(i));
      }
    }

    /** Returns the number of a marker, a new number if the marker is new; -1 for null. */
    private int number(Marker marker) {
      if (marker == null) {
        return -1;
      }
      Integer known = numbers.putIfAbsent(marker, nodes.size());
      if (known != null) {
        return known;
      }
      nodes.add(marker);
      return nodes.size() - 1;
    }
  }

  /** Reads what {@link Writer} wrote. */
  static final class Reader {
    private static final int MIN_NODE_BYTES = 3;

    private final Input in;
    private final Dictionary.Reader dictionary;
    private final List<Spilled> nodes = new ArrayList<>();

    Reader(Input in, Dictionary.Reader dictionary) {
      this.in = in;
      this.dictionary = dictionary;
    }

    List<Marker> read() throws CodecException {
      nodes.clear();
      int count = in.count(1);
      List<Marker> markers =
          new ArrayList<>(count); // as in Logback, whose receiver takes no other list
      for (int i = 0; i < count; i++) {
        int number = in.varint();
        markers.add(number == 0 ? null : node(number - 1));
      }
      for (int i = 0; i < nodes.size(); i++) {
        fill(nodes.get(i));
      }
      return markers;
    }

    private void fill(Spilled node) throws CodecException {
      String name = dictionary.name();
      int nameOnly = in.u8();
      if (nameOnly > 1 || nameOnly == 1 && name == null) {
        throw new CodecException("marker flag " + nameOnly);
      }
      ValueCodec.Text text = nameOnly == 1 ? ValueCodec.Text.of(name) : ValueCodec.Text.read(in);
      Spilled[] references = new Spilled[in.count(1)];
      for (int i = 0; i < references.length; i++) {
        references[i] = node(in.varint());
      }
      node.fill(name, text, references);
    }

    // Numbers are assigned in the order of their first use, so that the only unknown number allowed
    // is the next one.
    private Spilled node(int number) throws CodecException {
      if (number > nodes.size()) {
        throw new CodecException("marker " + number + " of " + nodes.size());
      }
      if (number == nodes.size()) {
        if (in.remaining() / MIN_NODE_BYTES == 0) {
          throw new CodecException("a marker with " + in.remaining() + " bytes left");
        }
        nodes.add(new Spilled());
      }
      return nodes.get(number);
    }
  }

  /** A marker read back. Equal to any marker of its name, as SLF4J's markers are; never changes. */
  @SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
  static final class Spilled implements Marker {
    private static final long serialVersionUID = 1L;

    private String name;
    private String textOrFailure;
    private boolean textFails;
    private Spilled[] references = {};

    /** Called after the creation, because references may be circular. */
    void fill(String name, ValueCodec.Text text, Spilled[] references) {
      this.name = name;
      this.textOrFailure = text.text();
      this.textFails = text.failed();
      this.references = references;
    }

    ValueCodec.Text text() {
      return textFails ? ValueCodec.Text.failure(textOrFailure) : ValueCodec.Text.of(textOrFailure);
    }

    @Override
    public String getName() {
      return name;
    }

    @Override
    public void add(Marker reference) {
      throw new UnsupportedOperationException("a marker read back from disk does not change");
    }

    @Override
    public boolean remove(Marker reference) {
      throw new UnsupportedOperationException("a marker read back from disk does not change");
    }

    @Override
    public boolean hasChildren() {
      return hasReferences();
    }

    @Override
    public boolean hasReferences() {
      return references.length > 0;
    }

    @Override
    public Iterator<Marker> iterator() {
      List<Marker> list = Collections.unmodifiableList(Arrays.asList(references));
      return list.iterator();
    }

    @Override
    public boolean contains(Marker other) {
      if (other == null) {
        throw new IllegalArgumentException("Other cannot be null");
      }
      return reaches(other);
    }

    @Override
    public boolean contains(String other) {
      if (other == null) {
        throw new IllegalArgumentException("Other cannot be null");
      }
      return reaches(other);
    }

    private boolean is(Object markerOrName) {
      return markerOrName instanceof String ? markerOrName.equals(name) : equals(markerOrName);
    }

    private boolean reaches(Object markerOrName) {
      if (is(markerOrName)) {
        return true;
      }
      if (references.length == 0) {
        return false;
      }
      Set<Spilled> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      Deque<Spilled> pending = new ArrayDeque<>();
      seen.add(this);
      pending.add(this);
      while (!pending.isEmpty()) {
        for (Spilled reference : pending.remove().references) {
          if (seen.add(reference)) {
            if (reference.is(markerOrName)) {
              return true;
            }
            pending.add(reference);
          }
        }
      }
      return false;
    }

    /**
     * Serialized as a marker of SLF4J's own class, the only one that Logback's receiver takes. When
     * a reference is added, SLF4J's markers search for a path back to them and refuse a circular
     * one; therefore each copy gets its references before the copies that it refers to have any.
     */
    private Object writeReplace() {
      Map<Spilled, Marker> copies = new IdentityHashMap<>();
      Deque<Spilled> nodes = new ArrayDeque<>();
      collect(copies, nodes);
      for (Spilled node : nodes) {
        for (Spilled reference : node.references) {
          Marker copy = copies.get(reference);
          if (!copy.hasReferences()) { // else it is circular
            copies.get(node).add(copy);
          }
        }
      }
      return copies.get(this);
    }

    /** Collects the markers, each before those that it refers to, except in circular references. */
    private void collect(Map<Spilled, Marker> copies, Deque<Spilled> nodes) {
      if (!copies.containsKey(this)) {
        copies.put(this, new BasicMarkerFactory().getDetachedMarker(String.valueOf(name)));
        for (Spilled reference : references) {
          reference.collect(copies, nodes);
        }
        nodes.addFirst(this);
      }
    }

    @Override
    public boolean equals(Object other) {
      return this == other
          || other instanceof Marker marker && Objects.equals(name, marker.getName());
    }

    @Override
    public int hashCode() {
      return Objects.hashCode(name);
    }

    @Override
    public String toString() {
      return text().toString();
    }
  }
}
