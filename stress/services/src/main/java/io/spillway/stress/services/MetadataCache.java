package io.spillway.stress.services;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Looks up what is known of a product, and loads it if that is not known yet. */
interface MetadataCache {

  /** Of a product, by its key. */
  String get(String product);

  /** Takes what is known already. */
  void put(String product, String metadata);

  /**
   * One of either kind.
   *
   * @param kind {@code concurrent} or {@code synchronized}
   * @param entries kept at most
   */
  static MetadataCache of(String kind, int entries, Function<String, String> load) {
    if (kind.equals("synchronized")) {
      return new SynchronizedLru(entries, load);
    }
    return new Concurrent(Caffeine.newBuilder().maximumSize(entries).build(load::apply));
  }

  /** Who loads a product makes those wait who want the same. */
  record Concurrent(LoadingCache<String, String> entries) implements MetadataCache {

    @Override
    public String get(String product) {
      return entries.get(product);
    }

    @Override
    public void put(String product, String metadata) {
      entries.put(product, metadata);
    }
  }

  /** The classic: a linked map in order of access, one lock, and loading while it is held. */
  final class SynchronizedLru implements MetadataCache {

    private static final float LOAD_FACTOR = 0.75f;

    private final Map<String, String> entries;
    private final Function<String, String> load;

    SynchronizedLru(int most, Function<String, String> load) {
      this.load = load;
      this.entries =
          new LinkedHashMap<>(most, LOAD_FACTOR, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
              return size() > most;
            }
          };
    }

    @Override
    public synchronized String get(String product) {
      String known = entries.get(product);
      if (known == null) {
        known = load.apply(product);
        entries.put(product, known);
      }
      return known;
    }

    @Override
    public synchronized void put(String product, String metadata) {
      entries.put(product, metadata);
    }
  }
}
