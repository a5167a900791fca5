package io.spillway.internal.codec;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.logstash.logback.marker.Markers;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

/**
 * Random markers: plain, with references, with references of references, with a text of their own.
 */
final class MarkerArbitraries {
  private MarkerArbitraries() {}

  static Arbitrary<List<Marker>> lists() {
    return markers().list().ofMaxSize(3).injectNull(0.3);
  }

  private static Arbitrary<Marker> markers() {
    Arbitrary<Marker> leaves = EventArbitraries.names().map(MarkerArbitraries::marker);
    Arbitrary<Marker> own = EventArbitraries.strings().map(text -> Markers.append("key", text));
    return Arbitraries.oneOf(leaves, referring(leaves), referring(referring(leaves)), own);
  }

  /** Without logstash-logback-encoder's own markers, which it prints field by field. */
  static Arbitrary<List<Marker>> plainLists() {
    Arbitrary<Marker> leaves = EventArbitraries.names().map(MarkerArbitraries::marker);
    return Arbitraries.oneOf(leaves, referring(leaves)).list().ofMaxSize(3).injectNull(0.3);
  }

  private static Marker marker(String name) {
    return new BasicMarkerFactory().getDetachedMarker(name);
  }

  @SuppressWarnings("deprecation") // deprecated by SLF4J and still in use
  private static Arbitrary<Marker> referring(Arbitrary<Marker> references) {
    return Combinators.combine(EventArbitraries.names(), references.list().ofMaxSize(3))
        .as(
            (name, list) -> {
              Marker marker = marker(name);
              list.forEach(marker::add);
              return marker;
            });
  }
}
