package io.spillway.internal.codec;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.slf4j.Marker;

/**
 * Writes an event's markers as a graph: first the list, by number, then each marker with the
 * numbers of its references. No recursion, so that circular references end and deep ones fit.
 */
final class MarkerWriter {
  /** Against an iterator that never ends. */
  private static final int MAX_REFERENCES = 10_000;

  private final Output out;
  private final NameWriter names;
  private final List<Marker> nodes = new ArrayList<>();
  private final List<Integer> references = new ArrayList<>();

  MarkerWriter(Output out, NameWriter names) {
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
            : TextCodec.render(marker, careful);
    boolean nameOnly = !text.failed() && name != null && name.equals(text.text());
    out.u8(nameOnly ? 1 : 0);
    if (!nameOnly) {
      TextCodec.write(out, text);
    }
    references.clear();
    if ((!careful || !ForeignObjects.isOne(marker)) && marker.hasReferences()) {
      Iterator<Marker> iterator = marker.iterator();
      for (int met = 0; met < MAX_REFERENCES && iterator.hasNext(); met++) {
        int number = number(iterator.next(), Format.MAX_MARKERS);
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
