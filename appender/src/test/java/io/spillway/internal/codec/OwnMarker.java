package io.spillway.internal.codec;

import java.util.Collections;
import java.util.Iterator;
import org.slf4j.Marker;

/** A marker of an application's own class. */
@SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
class OwnMarker implements Marker {
  private static final long serialVersionUID = 1L;

  private final String name;

  OwnMarker(String name) {
    this.name = name;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public void add(Marker reference) {
    throw new UnsupportedOperationException("this marker is fixed");
  }

  @Override
  public boolean remove(Marker reference) {
    throw new UnsupportedOperationException("this marker is fixed");
  }

  @Override
  public boolean hasChildren() {
    return hasReferences();
  }

  @Override
  public boolean hasReferences() {
    return iterator().hasNext();
  }

  @Override
  public Iterator<Marker> iterator() {
    return Collections.emptyIterator();
  }

  @Override
  public boolean contains(Marker other) {
    return equals(other);
  }

  @Override
  public boolean contains(String other) {
    return name.equals(other);
  }

  @Override
  public String toString() {
    return "text of " + name;
  }
}
