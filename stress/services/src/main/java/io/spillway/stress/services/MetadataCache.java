package io.spillway.stress.services;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** A cache of products' metadata; loads what is missing. Safe for use by several threads. */
interface MetadataCache {

  /** Returns the metadata of a product, by its key; loads it if it is missing. */
  String get(String product);

  /** Stores metadata without loading. */
  void put(String product, String metadata);

  /**
   * Creates a cache.
   *
   * @param kind {@code concurrent} or {@code synchronized}
   * @param entries number of entries kept at most
   * @param load loads the metadata of a product
   */
  static MetadataCache of(String kind, int entries, Function<String, String> load) {
    if (kind.equals("synchronized")) {
      return new SynchronizedLru(entries, load);
    }
    return new Concurrent(Caffeine.newBuilder().maximumSize(entries).build(load::apply));
  }

  /** Caffeine's cache: a load blocks only the threads that want the same product. */
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

  /** A linked map in order of access under one lock, which is also held while loading. */
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
