package io.spillway.internal.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.slf4j.Marker;

/** Markers with their references, which may be cyclic. */
final class MarkerCodec {
  /** Markers of one event, beyond which references are no longer followed. */
  static final int MAX_MARKERS = 1_000;

  private MarkerCodec() {}

  /**
   * Writes an event's markers as a graph: first the list, by number, then each marker with the
   * numbers of its references. No recursion, so that circular references end and deep ones fit.
   */
  static final class Writer {
    /** Against an iterator that never ends. */
    private static final int MAX_REFERENCES = 10_000;

    private final Output out;
    private final NameCodec.Writer names;
    private final List<Marker> nodes = new ArrayList<>();
    private final List<Integer> references = new ArrayList<>();

    Writer(Output out, NameCodec.Writer names) {
      this.out = out;
      this.names = names;
    }

    void write(List<Marker> markers, boolean careful) {
      nodes.clear();
      int size = markers.size();
      out.varint(size);
      for (int i = 0; i < size; i++) {
        out.varint(1 + number(markers.get(i), Integer.MAX_VALUE));
      }
      for (int i = 0; i < nodes.size(); i++) {
        node(nodes.get(i), careful);
      }
      nodes.clear();
    }

    @SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
    private void node(Marker marker, boolean careful) {
      String name = marker.getName();
      names.write(name);
      SpilledText text =
          marker instanceof SpilledMarker spilled
              ? spilled.text()
              : SpilledText.render(marker, careful);
      boolean nameOnly = !text.failed() && name != null && name.equals(text.text());
      out.u8(nameOnly ? 1 : 0);
      if (!nameOnly) {
        text.write(out);
      }
      references.clear();
      if ((!careful || !ForeignObjects.isOne(marker)) && marker.hasReferences()) {
        Iterator<Marker> iterator = marker.iterator();
        for (int met = 0; met < MAX_REFERENCES && iterator.hasNext(); met++) {
          int number = number(iterator.next(), MAX_MARKERS);
          if (number >= 0) {
            references.add(number);
          }
        }
      }
      out.varint(references.size());
      for (int i = 0; i < references.size(); i++) {
        out.varint(references.get(i));
      }
    }

    /** The number of a marker, a new one if it was not met and there is room, else -1. */
    private int number(Marker marker, int limit) {
      if (marker == null) {
        return -1;
      }
      for (int i = 0; i < nodes.size(); i++) {
        if (nodes.get(i) == marker) {
          return i;
        }
      }
      if (nodes.size() >= limit) {
        return -1;
      }
      nodes.add(marker);
      return nodes.size() - 1;
    }
  }

  /** Reads what {@link Writer} wrote. */
  static final class Reader {
    private static final int MIN_NODE_BYTES = 3;

    private final Input in;
    private final NameCodec.Reader names;
    private final List<SpilledMarker> nodes = new ArrayList<>();

    Reader(Input in, NameCodec.Reader names) {
      this.in = in;
      this.names = names;
    }

    List<Marker> read() throws CodecException {
      nodes.clear();
      Marker[] markers = new Marker[in.count(1)];
      for (int i = 0; i < markers.length; i++) {
        int number = in.varint();
        markers[i] = number == 0 ? null : node(number - 1);
      }
      for (int i = 0; i < nodes.size(); i++) {
        fill(nodes.get(i));
      }
      return Collections.unmodifiableList(Arrays.asList(markers));
    }

    private void fill(SpilledMarker node) throws CodecException {
      String name = names.read();
      int nameOnly = in.u8();
      if (nameOnly > 1 || nameOnly == 1 && name == null) {
        throw new CodecException("marker flag " + nameOnly);
      }
      SpilledText text = nameOnly == 1 ? SpilledText.of(name) : SpilledText.read(in);
      SpilledMarker[] references = new SpilledMarker[in.count(1)];
      for (int i = 0; i < references.length; i++) {
        references[i] = node(in.varint());
      }
      node.fill(name, text, references);
    }

    // Numbers are given in the order of their first use, so that only the next new one may be
    // unknown.
    private SpilledMarker node(int number) throws CodecException {
      if (number > nodes.size()) {
        throw new CodecException("marker " + number + " of " + nodes.size());
      }
      if (number == nodes.size()) {
        if (in.remaining() / MIN_NODE_BYTES == 0) {
          throw new CodecException("a marker with " + in.remaining() + " bytes left");
        }
        nodes.add(new SpilledMarker());
      }
      return nodes.get(number);
    }
  }
}
