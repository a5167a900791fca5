package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

/** Writes and reads markers as a tree: what two refer to is written twice, a circle is cut off. */
@SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
final class Markers {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_REFERENCES = 1024; // of an event: an iterator may never end

  private static final Marker[] NONE = {};
  private static final Marker LEFT_OUT = new Spilled("[left out]", "[left out]", NONE);

  private Markers() {}

  static void write(Output out, List<Marker> markers) {
    int size = markers == null ? 0 : markers.size();
    out.varint(size);
    int room = MAX_REFERENCES;
    for (int i = 0; i < size; i++) {
      room = write(out, markers.get(i), 0, room);
    }
  }

  /** Writes a marker and what it refers to; returns the references that may still be written. */
  private static int write(Output out, Marker marker, int depth, int mostReferences) {
    String name = marker.getName();
    String text = Output.text(marker);
    out.u8(1);
    out.name(name);
    out.string(text.equals(name) ? null : text);
    int room = mostReferences;
    Iterator<Marker> references = marker.iterator();
    while (references.hasNext() && room > 0 && depth < MAX_DEPTH) {
      room = write(out, references.next(), depth + 1, room - 1);
    }
    if (references.hasNext()) {
      write(out, LEFT_OUT, depth + 1, 0);
    }
    out.u8(0);
    return room;
  }

  static void read(Input in, LoggingEvent into) {
    int count = in.count(2);
    for (int i = 0; i < count; i++) {
      into.addMarker(read(in, 0));
    }
  }

  private static Marker read(Input in, int depth) {
    if (in.u8() == 0) {
      return null;
    }
    Input.check(depth <= MAX_DEPTH + 1, "markers too deep");
    String name = in.name();
    String text = in.string();
    List<Marker> references = new ArrayList<>(0);
    for (Marker next; (next = read(in, depth + 1)) != null; ) {
      references.add(next);
    }
    return new Spilled(name, text == null ? name : text, references.toArray(NONE));
  }

  /** A marker read back. Equal to any marker of its name, as SLF4J's markers are; never changes. */
  private record Spilled(String name, String text, Marker[] references) implements Marker {
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
      return Collections.unmodifiableList(Arrays.asList(references)).iterator();
    }

    @Override
    public boolean contains(Marker other) {
      return contains(other.getName());
    }

    @Override
    public boolean contains(String other) {
      if (other.equals(name)) {
        return true;
      }
      for (Marker reference : references) {
        if (reference.contains(other)) {
          return true;
        }
      }
      return false;
    }

    /** Serialized as a marker of SLF4J's own class, the only one that Logback's receiver takes. */
    private Object writeReplace() {
      Marker copy = new BasicMarkerFactory().getDetachedMarker(String.valueOf(name));
      for (Marker reference : references) {
        copy.add((Marker) ((Spilled) reference).writeReplace());
      }
      return copy;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Marker marker && Objects.equals(name, marker.getName());
    }

    @Override
    public int hashCode() {
      return Objects.hashCode(name);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
