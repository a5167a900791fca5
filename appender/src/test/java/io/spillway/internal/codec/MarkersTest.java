package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarker;
import org.slf4j.helpers.BasicMarkerFactory;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("deprecation") // references are deprecated by SLF4J and still in use
class MarkersTest {
  private static Marker marker(String name, Marker... references) {
    Marker marker = new BasicMarkerFactory().getDetachedMarker(name);
    for (Marker reference : references) {
      marker.add(reference);
    }
    return marker;
  }

  /** SLF4J's own markers refuse circles; this one takes any reference. */
  private static final class Loop extends OwnMarker {
    private static final long serialVersionUID = 1L;
    private final transient List<Marker> references = new ArrayList<>();

    Loop(String name) {
      super(name);
    }

    @Override
    public Iterator<Marker> iterator() {
      return references.iterator();
    }
  }

  private static Marker spill(Marker marker) {
    return Runs.roundTrip(Events.of("").markers(marker)).getMarkerList().get(0);
  }

  @Test
  void shouldKeepNamesReferencesAndText() {
    Marker original = marker("top", marker("left", marker("deep")), marker("right"));
    Marker spilled = spill(original);

    assertThat(spilled).hasToString(original.toString()).isEqualTo(original);
    assertThat(original).isEqualTo(spilled).hasSameHashCodeAs(spilled);
    assertThat(spilled.contains("deep")).isTrue();
    assertThat(spilled.contains(marker("right"))).isTrue();
    assertThat(spilled.contains("other")).isFalse();
    assertThat(spilled.contains(marker("other"))).isFalse();
    assertThat(spilled.hasReferences()).isTrue();
    assertThat(spilled.iterator()).toIterable().hasSize(2);
  }

  @Test
  void shouldFollowCircularReferencesOnce() {
    Loop one = new Loop("one");
    Loop two = new Loop("two");
    Loop three = new Loop("three");
    one.references.add(two);
    two.references.add(three);
    three.references.add(one);
    three.references.add(three);
    List<Marker> spilled = Runs.roundTrip(Events.of("").markers(one, null, two)).getMarkerList();

    assertThat(spilled.get(0)).hasToString("text of one");
    assertThat(spilled.get(1)).isNull();
    assertThat(spilled.get(0).iterator().next()).isSameAs(spilled.get(2));
    for (Marker marker : List.of(spilled.get(0), spilled.get(2))) {
      assertThat(marker.contains("one")).isTrue();
      assertThat(marker.contains("three")).isTrue();
      assertThat(marker.contains("four")).isFalse();
    }
  }

  @Test
  void shouldKeepAChainHoweverDeep() {
    Loop top = new Loop("0");
    Loop end = top;
    for (int i = 1; i < 20_000; i++) {
      Loop next = new Loop("" + i);
      end.references.add(next);
      end = next;
    }
    Marker spilled = spill(top);

    assertThat(spilled.contains("19999")).isTrue();
  }

  @Test
  void shouldKeepAllMarkersOfAnEventHoweverMany() {
    Marker[] all = new Marker[200_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = marker("" + i);
    }

    assertThat(Runs.roundTrip(Events.of("").markers(all)).getMarkerList())
        .hasSize(all.length)
        .last()
        .hasToString("199999");
  }

  @Test
  void shouldEndWithAnIteratorThatDoesNot() {
    Marker endless =
        new OwnMarker("endless") {
          private static final long serialVersionUID = 1L;

          @Override
          public Iterator<Marker> iterator() {
            return java.util.stream.Stream.generate(() -> marker("again")).iterator();
          }
        };

    Marker spilled = spill(endless);
    List<String> references = new ArrayList<>();
    spilled.iterator().forEachRemaining(reference -> references.add(reference.getName()));

    assertThat(references).hasSizeGreaterThan(50_000).last().asString().contains("left out");
    assertThat(references.subList(0, references.size() - 1)).containsOnly("again");
  }

  @Test
  void shouldThrowAgainWhatTheTextOfAMarkerThrew() {
    Marker hostile =
        new OwnMarker("hostile") {
          private static final long serialVersionUID = 1L;

          @Override
          public String toString() {
            throw new IllegalStateException("no text");
          }
        };
    Marker spilled = spill(spill(hostile));

    assertThat(spilled.getName()).isEqualTo("hostile");
    assertThatThrownBy(spilled::toString).hasMessage("no text");
  }

  @Test
  void shouldBeSerializedAsSlf4jsOwn() throws Exception {
    Marker deep = marker("deep");
    Marker left = marker("left");
    Marker right = marker("right");
    Marker original = marker("top", left, right, deep);
    right.add(left);
    right.add(deep);
    left.add(deep);
    Loop one = new Loop("one");
    Loop two = new Loop("two");
    one.references.add(two);
    one.references.add(one);
    two.references.add(one);

    Marker top = serialized(original);
    assertThat(top).isInstanceOf(BasicMarker.class).hasToString("top [ left, right, deep ]");
    List<Marker> references = new ArrayList<>();
    top.iterator().forEachRemaining(references::add);
    assertThat(references).hasToString("[left [ deep ], right [ left, deep ], deep]");
    // which refuse circles
    assertThat(serialized(one)).hasToString("one [ two ]");
  }

  private static Marker serialized(Marker marker) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(spill(marker));
    return (Marker)
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
  }

  @Test
  void shouldNotChange() {
    Marker spilled = spill(marker("name", marker("reference")));

    assertThatThrownBy(() -> spilled.add(marker("other")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> spilled.remove(marker("reference")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> spilled.contains((Marker) null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> spilled.contains((String) null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
