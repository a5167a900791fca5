package io.spillway.stress.services;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A cache of products' metadata: a linked map in order of access under one lock, which is also held
 * while loading.
 */
final class MetadataCache {

  private static final float LOAD_FACTOR = 0.75f;

  private final Map<String, String> entries;
  private final Function<String, String> load;

  private MetadataCache(int most, Function<String, String> load) {
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

  /**
   * Returns a function that gets the metadata of a product, and loads what is missing.
   *
   * @param synchronised whether it is this cache; else it is Caffeine's, in which a load blocks
   *     only the threads that want the same product
   */
  static Function<String, String> of(
      boolean synchronised, int entries, Function<String, String> load) {
    return synchronised
        ? new MetadataCache(entries, load)::get
        : Caffeine.newBuilder().maximumSize(entries).<String, String>build(load::apply)::get;
  }

  private synchronized String get(String product) {
    String known = entries.get(product);
    if (known == null) {
      known = load.apply(product);
      entries.put(product, known);
    }
    return known;
  }
}
