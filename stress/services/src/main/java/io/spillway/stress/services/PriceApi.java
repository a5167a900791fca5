package io.spillway.stress.services;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.spillway.stress.load.Service;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * {@code GET /N}: a price. Looks up the product, which for some requests is not in the cache yet,
 * creates a token, and logs. Random numbers come from one shared generator or from one per thread;
 * the cache is synchronized or concurrent.
 */
final class PriceApi extends TomcatService {

  private static final long serialVersionUID = 1L;
  private static final int TOKEN_BYTES = 16;

  private final transient Function<String, String> products;
  private final transient Supplier<SecureRandom> randoms;
  private final int randomBytes;
  private final int entries;
  private final int newPerMille;
  private final int garbageBytes;
  private int loadMicros; // 0 until the cache is full

  PriceApi(Service.Log log, Work work) {
    super(log, work);
    SecureRandom shared = random();
    boolean own = work.word("random", List.of("own", "shared")).equals("own");
    randoms = own ? ThreadLocal.withInitial(PriceApi::random)::get : () -> shared;
    randomBytes = work.number("randomBytes", TOKEN_BYTES);
    entries = Math.max(2, work.number("cacheEntries", 10_000));
    newPerMille = work.number("newPerMille", 0);
    garbageBytes = work.number("garbageBytes", 0);
    boolean concurrent =
        work.word("cache", List.of("concurrent", "synchronized")).equals("concurrent");
    products = concurrent ? concurrentCache() : synchronizedCache();
    for (int i = 0; i < entries / 2; i++) { // as after a long run
      products.apply("p" + i);
    }
    loadMicros = work.number("loadMicros", 0);
  }

  /** Creates a generator whose state is under one lock on every system; the system seeds it. */
  private static SecureRandom random() {
    try {
      return SecureRandom.getInstance("SHA1PRNG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a cache in order of access under one lock, which is also held while loading. */
  private Function<String, String> synchronizedCache() {
    Map<String, String> products =
        new LinkedHashMap<>(entries, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > entries;
          }
        };
    Map<String, String> locked = Collections.synchronizedMap(products);
    return product -> locked.computeIfAbsent(product, this::load);
  }

  /** Returns a cache in which a load blocks only the threads that want the same product. */
  private Function<String, String> concurrentCache() {
    return Caffeine.newBuilder().maximumSize(entries).<String, String>build(this::load)::get;
  }

  private String load(String product) {
    Work.block(loadMicros);
    return "metadata of " + product;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    long number = Long.parseLong(request.getRequestURI().substring(1));
    boolean fresh = mixed(number) % 1_000 < newPerMille;
    String metadata = products.apply(fresh ? "n" + number : "p" + number % (entries / 2));
    byte[] garbage = new byte[garbageBytes];
    String token = token() + garbage.length;
    logLines();
    answer(response, number + " " + metadata + " " + token);
  }

  /** Returns a pseudo-random number, the same in every trial; the finaliser of SplitMix64. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return (mixed ^ mixed >>> 31) >>> 1;
  }

  private String token() {
    byte[] bytes = new byte[Math.max(TOKEN_BYTES, randomBytes)];
    randoms.get().nextBytes(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, TOKEN_BYTES));
  }
}
