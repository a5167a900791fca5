package io.spillway.internal.codec;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Marker;

/** A marker read back: equal to any marker of its name, as SLF4J's own are; never changes. */
@SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
final class SpilledMarker implements Marker {
  private static final long serialVersionUID = 1L;

  private String name;
  private String textOrFailure;
  private boolean textFails;
  private SpilledMarker[] references = {};

  /** In two steps, because references may be circular. */
  void fill(String name, SpilledText text, SpilledMarker[] references) {
    this.name = name;
    this.textOrFailure = text.text();
    this.textFails = text.failed();
    this.references = references;
  }

  SpilledText text() {
    return textFails ? SpilledText.failure(textOrFailure) : SpilledText.of(textOrFailure);
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
    Set<SpilledMarker> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<SpilledMarker> pending = new ArrayDeque<>();
    seen.add(this);
    pending.add(this);
    while (!pending.isEmpty()) {
      for (SpilledMarker reference : pending.remove().references) {
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
