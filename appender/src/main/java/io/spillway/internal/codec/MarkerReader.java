package io.spillway.internal.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.slf4j.Marker;

/** Reads what {@link MarkerWriter} wrote. */
final class MarkerReader {
  private static final int MIN_NODE_BYTES = 3;

  private final Input in;
  private final NameReader names;
  private final List<SpilledMarker> nodes = new ArrayList<>();

  MarkerReader(Input in, NameReader names) {
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
    SpilledText text = nameOnly == 1 ? SpilledText.of(name) : TextCodec.read(in);
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
