package io.spillway.rolling;

import io.spillway.compress.Archiver;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the policies on one pattern share in this JVM: the lock, and who archives. While a
 * reconfiguration replaces a policy, the old one may be in the middle of publishing an archive, and
 * a lock of each policy's own would not keep the two apart. A policy whose appender failed to start
 * is never stopped by Logback, so its successor does that.
 */
final class SharedNames {
  private static final Map<String, WeakReference<SharedNames>> ALL = new HashMap<>();

  private final ReentrantLock lock = new ReentrantLock();
  private Archiver archiver; // guarded by the lock

  private SharedNames() {}

  /** Those of a pattern; keep a reference for as long as they are used. */
  static SharedNames of(ArchivePattern pattern) {
    String key = pattern.root() + "|" + pattern.stems().pattern();
    synchronized (ALL) {
      ALL.values().removeIf(reference -> reference.get() == null);
      WeakReference<SharedNames> known = ALL.get(key);
      SharedNames names = known == null ? null : known.get();
      if (names == null) {
        names = new SharedNames();
        ALL.put(key, new WeakReference<>(names));
      }
      return names;
    }
  }

  /** Guards the names. */
  ReentrantLock lock() {
    return lock;
  }

  /** One archiver for each pattern, or none: the one before is stopped. */
  void takeOver(Archiver next) {
    lock.lock();
    try {
      if (archiver != null) {
        archiver.stop();
      }
      archiver = next;
    } finally {
      lock.unlock();
    }
  }
}
