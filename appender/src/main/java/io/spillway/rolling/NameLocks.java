package io.spillway.rolling;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One lock for each pattern in this JVM. While a reconfiguration replaces a policy, the old one may
 * be in the middle of publishing an archive; a lock of each policy's own would not keep the two
 * apart.
 */
final class NameLocks {
  private static final Map<String, WeakReference<ReentrantLock>> LOCKS = new HashMap<>();

  private NameLocks() {}

  /** The lock of a pattern; keep a reference to it for as long as it is used. */
  static ReentrantLock of(ArchivePattern pattern) {
    String key = pattern.root() + "|" + pattern.stems().pattern();
    synchronized (LOCKS) {
      LOCKS.values().removeIf(reference -> reference.get() == null);
      WeakReference<ReentrantLock> known = LOCKS.get(key);
      ReentrantLock lock = known == null ? null : known.get();
      if (lock == null) {
        lock = new ReentrantLock();
        LOCKS.put(key, new WeakReference<>(lock));
      }
      return lock;
    }
  }
}
