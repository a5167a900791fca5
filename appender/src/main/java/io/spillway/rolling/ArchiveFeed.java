package io.spillway.rolling;

import ch.qos.logback.core.spi.LifeCycle;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.ArchiveNames.Kind;
import io.spillway.internal.compress.Archiver;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics.Handed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Gives archives to a listener, the oldest first. What it is owed is what lies in the directory and
 * is not in the {@link TakenList}, and what the list says beside that: so a crash forgets nothing,
 * and costs at most that an archive is given again. One that is refused is given again after a
 * pause of its own, and holds up no other.
 *
 * <p>Concurrency: the compressor's thread looks at the directory and keeps the list, since it is
 * the one that makes archives and deletes them; a thread that lives while the listener is owed
 * something calls it. {@code lock} guards what is known, and is never held while the listener is
 * called: one that hangs holds up that thread alone. The figures are read by anybody, and whoever
 * makes an archive says so without the lock, which is held while a directory is listed.
 */
final class ArchiveFeed {
  private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  private static final long LAST_PAUSE_NANOS = 300_000_000_000L;

  /** While so many are owed, the list is written once a second: that takes two fsyncs. */
  private static final int MANY = 64;

  private static final long LIST_NANOS = 1_000_000_000L;

  /** A wake-up that goes missing, as for want of memory, costs that. */
  private static final long MOST_REST_NANOS = 1_000_000_000L;

  /** A list that cannot be read for so long is taken for empty: better given twice than never. */
  private static final long LIST_PATIENCE_NANOS = 3_000_000_000L;

  /** For a stop, whose disk may hang. */
  private static final long LAST_LIST_MILLIS = 1_000;

  /**
   * An archive that this run has not made, and to which somebody wrote within this time, may be a
   * copy that is still being made under its name.
   */
  private static final long QUIET_MILLIS = 10_000;

  private static final String THREAD_NAME = "spillway-archive-listener";
  private static final String AGAIN =
      " It is tried again, after a second at first, then after pauses of up to five minutes.";

  private final ArchivingPolicy policy;
  private final ArchiveNames names;
  private final ArchiveListener listener;
  private final TakenList list;
  private final Path root;
  private final LongSupplier nanoClock;
  private final Supplier<String> late = this::late; // here: links nothing later
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread last = new Last(); // made here, as it may not be possible at a stop
  private final Set<Path> published = ConcurrentHashMap.newKeySet(); // by this run, not given yet
  private volatile boolean stopped;

  // Under the lock.
  private Set<String> taken; // null until the list is read
  private final Map<String, Owed> owed = new HashMap<>();
  private final Set<String> unjudged =
      new TreeSet<>(); // of the list, or deleted before it was read
  private String inHand; // which the listener may delete, null if none is
  private boolean unseen; // the last look failed
  private boolean unlisted; // the list is behind
  private long listedNanos;
  private long unreadNanos; // when the list could not be read first; while taken is null
  private int failedLooks; // in a row
  private int failedLists;
  private final Pause chores = new Pause(); // of those two
  private boolean running;
  private long given;
  private long refused;
  private long deleted;

  private volatile Handed figures = Handed.NOTHING; // written under the lock; they add up

  /** Feeds the listener of a policy whose archiver is being made. */
  ArchiveFeed(ArchivingPolicy policy, ArchiveListener listener) {
    this.policy = policy;
    this.listener = listener;
    this.names = policy.names();
    this.root = policy.pattern().root();
    this.list = new TakenList(policy);
    this.nanoClock = policy.nanoClock;
    this.listedNanos = nanoClock.getAsLong();
  }

  /** When something is tried again. */
  private final class Pause {
    private long nanos; // 0 before the first
    private long endNanos;

    /** It has failed. */
    void longer() {
      begin(Math.min(Math.max(FIRST_PAUSE_NANOS, 2 * nanos), LAST_PAUSE_NANOS));
    }

    void begin(long length) {
      nanos = length;
      endNanos = nanoClock.getAsLong() + length;
    }

    long restNanos() {
      return nanos == 0 ? 0 : Math.max(0, endNanos - nanoClock.getAsLong());
    }
  }

  /** An archive that is to be given. The oldest first, what was refused last. */
  private final class Owed implements Comparable<Owed> {
    private final String name;
    private final Path file;
    private final long millis;
    private final Pause pause = new Pause(); // of refusals
    private final Pause quiet = new Pause(); // while somebody may be writing to it
    private boolean whole; // as this run has made it

    Owed(String name, Path file, Disk.State state) {
      this.name = name;
      this.file = file;
      this.millis = state.modified().toMillis();
    }

    /** One that was seen a moment before it was published need not be left quiet. */
    long restNanos() {
      long rest = quiet.restNanos();
      rest = rest > 0 && (whole || published.contains(file)) ? 0 : rest;
      return Math.max(rest, pause.restNanos());
    }

    @Override
    public int compareTo(Owed other) {
      int byPause = Long.compare(pause.nanos, other.pause.nanos);
      int byTime = byPause == 0 ? Long.compare(millis, other.millis) : byPause;
      return byTime == 0 ? name.compareTo(other.name) : byTime;
    }
  }

  Handed figures() {
    return figures;
  }

  private void count() {
    long waiting = owed.size() + unjudged.size();
    figures = new Handed(given, waiting, refused, deleted, failedLooks > 1 || failedLists > 1);
  }

  /** Looks what is there. Compressor's thread, before retention deletes some of it. */
  void look() {
    lock.lock();
    try {
      unseen = true;
      tryLook();
    } finally {
      lock.unlock();
    }
  }

  /** This run has made an archive: it is whole. Any thread; does not wait. */
  void published(Path archive) {
    published.add(archive);
  }

  /**
   * Takes away an archive, or a rolled file that would have become one. Compressor's thread.
   *
   * @return as {@link Archiver#discard}
   */
  Path discard(Path file) throws IOException {
    lock.lock(); // or the thread that gives it finds it gone, and counts it as well
    try {
      Path done = policy.archiver().discard(file);
      if (done != null) {
        deleted(file);
      }
      return done;
    } finally {
      lock.unlock();
    }
  }

  private void deleted(Path file) {
    String name = list.name(file);
    owed.remove(name);
    published.remove(file);
    unlisted = true;
    if (taken == null) {
      unjudged.add(name); // the list will say whether it was taken
    } else if (!taken.remove(name)) {
      unjudged.remove(name);
      goneUntaken();
    }
  }

  /**
   * The compressor has seen to its files: what is owed is listed, and given. May throw where no
   * thread is to be had; then the compressor comes again.
   */
  void settled() {
    lock.lock();
    try {
      tryList();
      changed.signalAll();
      if (!running && !isStopped() && restNanos() < Long.MAX_VALUE) {
        Thread thread = new Giving();
        thread.start();
        running = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives nothing any more, and leaves the list, up to date, to a successor. Does not wait for a
   * listener: what it has in hand is given again. While the names are still the policy's.
   */
  void stop() {
    boolean interrupted = Thread.interrupted();
    try {
      if (!isStopped()) {
        last.start();
        last.join(LAST_LIST_MILLIS);
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (OutOfMemoryError | IllegalThreadStateException e) {
      Thread.onSpinWait(); // no thread is to be had, or another stop has begun it
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    stopped = true;
    if (lock.tryLock()) {
      changed.signalAll();
      lock.unlock();
    }
  }

  /** Writes the list once more, in a thread of its own as its disk may hang, and ends the feed. */
  private final class Last extends Thread {
    Last() {
      super(null, null, THREAD_NAME + "-stop", 0, false);
      setDaemon(true);
    }

    @Override
    public void run() {
      lock.lock();
      try {
        tryList();
      } finally {
        stopped = true;
        lock.unlock();
      }
    }
  }

  private boolean isStopped() {
    return stopped || !policy.archiver().isRunning(); // somebody else may have taken the names over
  }

  private final class Giving extends Thread {
    Giving() {
      super(null, null, THREAD_NAME, 0, false);
      setDaemon(true);
      setContextClassLoader(listener.getClass().getClassLoader());
    }

    @Override
    public void run() {
      boolean more = true;
      while (more) {
        try {
          Thread.interrupted(); // nothing here ends by an interrupt, which the listener may leave
          more = step();
        } catch (Throwable noMemory) {
          LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
        }
      }
    }
  }

  /** Does one thing, or waits until there is one; false if there is nothing left to do. */
  private boolean step() throws InterruptedException {
    Owed next;
    lock.lock();
    try {
      if (isStopped()) {
        running = false;
        return false;
      }
      if (chores.restNanos() == 0) {
        tryLook();
        if (owed.size() < MANY
            || nanoClock.getAsLong() - listedNanos > LIST_NANOS
            || next() == null) {
          tryList();
        }
      }
      next = next();
      inHand = next == null ? null : next.name;
      if (next == null) {
        long rest = restNanos();
        running = rest < Long.MAX_VALUE;
        if (running && rest > 0) {
          changed.awaitNanos(Math.min(rest, MOST_REST_NANOS));
        }
        return running;
      }
      next.whole |= published.remove(next.file); // the next of its name is another archive
    } finally {
      lock.unlock();
    }
    give(next);
    return true;
  }

  private Owed next() {
    Owed next = null;
    for (Owed each : owed.values()) {
      if (each.restNanos() == 0 && (next == null || each.compareTo(next) < 0)) {
        next = each;
      }
    }
    return next;
  }

  private long restNanos() {
    long rest = unseen || unlisted ? chores.restNanos() : Long.MAX_VALUE;
    for (Owed each : owed.values()) {
      rest = Math.min(rest, each.restNanos());
    }
    return rest;
  }

  private void tryLook() {
    if (unseen && !isStopped()) {
      try {
        lookNow();
        unseen = false;
        failedLooks = 0;
        chores.nanos = 0;
      } catch (Throwable t) {
        failedLooks++;
        choreFailed(
            "look",
            "Archives for the archive listener cannot be looked for: "
                + t
                + ". Only those that are known are given meanwhile."
                + AGAIN
                + " To do: check that the directories of the archives exist, can be read and written,"
                + " and that their disks are healthy");
      }
      count();
    }
  }

  private void tryList() {
    if (unlisted && taken != null && !isStopped()) {
      try {
        if (list.isDoubtful()) {
          judgeList();
        }
        Set<String> waiting = new TreeSet<>(owed.keySet());
        waiting.addAll(unjudged);
        list.write(taken, waiting);
        unlisted = false;
        listedNanos = nanoClock.getAsLong();
        failedLists = 0;
        chores.nanos = 0;
      } catch (Throwable t) {
        failedLists++;
        choreFailed(
            "write",
            "The archives that the archive listener has taken cannot be listed in ["
                + list
                + "]: "
                + t
                + ". Archives are given all the same; what is not listed is given again after a"
                + " restart."
                + AGAIN
                + " To do: see that this user may replace that file, and that its disk has room and"
                + " is healthy");
      }
      count();
    }
  }

  private void choreFailed(String chore, String message) {
    if (chores.restNanos() == 0) { // whoever comes in between does not put it off
      chores.longer();
    }
    policy.reports.warn("archive.listener." + chore, message);
  }

  private void lookNow() throws IOException {
    if (taken == null) {
      read();
    }
    Set<Path> made = Set.copyOf(published); // first: the walk shows each of them
    Look look = new Look();
    try {
      names.walk(policy.files, look);
    } catch (IOException e) {
      look.failure = e; // what could be seen has been shown
    }
    boolean allSeen = look.failure == null;
    Set<Path> written = policy.written();
    for (Owed each : look.archives.values()) {
      boolean another = made.contains(each.file); // than the one of its name that was taken
      if ((another || !taken.contains(each.name))
          && !look.waiting.contains(each.file)
          && !written.contains(each.file)
          && (allSeen || isAlone(each.file))
          && owed.putIfAbsent(each.name, each) == null) {
        taken.remove(each.name);
        unlisted = true;
      }
    }
    for (Iterator<String> each = unjudged.iterator(); each.hasNext(); ) {
      String name = each.next();
      if (list.isDoubtful() && names.kindOf(list.archive(name)) == Kind.FOREIGN) {
        continue; // only the list says that it is one
      }
      try {
        Owed found = found(name, written);
        if (found != null) {
          owed.putIfAbsent(name, found);
        }
        each.remove();
        unlisted = true;
        if (found == null && !isToBeArchived(name, written)) {
          goneUntaken();
        }
      } catch (IOException e) {
        look.failure = e;
      }
    }
    for (Iterator<String> each = taken.iterator(); each.hasNext(); ) {
      String name = each.next();
      if (look.isGone(name) || written.contains(list.archive(name))) {
        each.remove();
        unlisted = true;
      }
    }
    for (Iterator<Owed> each = owed.values().iterator(); each.hasNext(); ) {
      Owed next = each.next();
      if (written.contains(next.file)) { // again: once that is over, it is another archive
        each.remove();
        unlisted = true;
      } else if (!next.name.equals(inHand) && look.isGone(next.name)) {
        each.remove();
        unlisted = true;
        goneUntaken();
      }
    }
    if (look.failure != null) {
      throw look.failure;
    }
    for (Path each : made) {
      if (!look.waiting.contains(each) && !owed.containsKey(list.name(each))) {
        published.remove(each); // it is gone, or written again
      }
    }
  }

  /** Whether no rolled file is beside it, which may not have been seen. */
  private boolean isAlone(Path archive) {
    try {
      for (Path path : names.all(names.stemOf(archive))) {
        if (!path.equals(archive) && policy.files.exists(path)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void read() throws IOException {
    TakenList.Content content = readList();
    unjudged.removeAll(content.taken());
    unjudged.addAll(content.owed());
    unlisted = true;
    taken = content.taken();
  }

  /** Null if there is no such archive, or it is not one to be given. */
  private Owed found(String name, Set<Path> written) throws IOException {
    Path archive = list.archive(name);
    boolean may = mayBeOwed(archive) && !written.contains(archive);
    Disk.State state = may ? policy.files.state(archive) : null;
    return state != null && state.regular() ? new Owed(name, archive, state) : null;
  }

  /**
   * An archive without compression is a rolled file with it, or is written again; what becomes of
   * that is owed then.
   */
  private boolean isToBeArchived(String name, Set<Path> written) {
    Path file = list.archive(name);
    Kind kind = names.kindOf(file);
    return kind == Kind.ARCHIVE && written.contains(file)
        || kind == Kind.RAW && (isThere(file) || isThere(names.archiveOf(file)));
  }

  private TakenList.Content readList() throws IOException {
    try {
      return list.read();
    } catch (IOException e) {
      long now = nanoClock.getAsLong();
      if (failedLooks == 0) {
        unreadNanos = now;
      }
      if (now - unreadNanos < LIST_PATIENCE_NANOS) {
        throw e;
      }
      policy.reports.warn(
          "archive.listener.list",
          "The list of the archives that the archive listener has taken ["
              + list
              + "] can be neither read nor set aside: "
              + e
              + ". It is taken for empty: all archives that are there are given again, now and after"
              + " each restart, until it can be written. To do: make it readable and writable for"
              + " this user, or delete it.");
      return new TakenList.Content(new TreeSet<>(), new TreeSet<>());
    }
  }

  /** Before a list is replaced that was read although it may be another user's. */
  private void judgeList() throws IOException {
    boolean anothers = list.isAnothers();
    unseen = true; // for what has waited for this
    if (anothers) {
      taken.clear();
      unjudged.clear();
      list.setAsideAsAnothers();
    }
  }

  /** Whatever the list says, it gives away no file but those of its own directories. */
  private boolean mayBeOwed(Path archive) throws IOException {
    Kind kind = names.kindOf(archive);
    Path directory = real(archive.getParent());
    return (kind == Kind.ARCHIVE || kind == Kind.FOREIGN)
        && (directory.startsWith(real(list.directory())) || directory.startsWith(real(root)));
  }

  private static Path real(Path directory) throws IOException {
    return Files.exists(directory) ? directory.toRealPath() : directory;
  }

  /** One look at the directory. */
  private final class Look implements ArchiveNames.Visitor {
    private final Map<String, Owed> archives = new HashMap<>();
    private final Set<Path> waiting = new HashSet<>(); // archives that are still to be judged
    private IOException failure; // of a name that stays as it is, and is looked at again

    @Override
    public boolean visit(Path file, Kind kind, Disk.State state) throws IOException {
      if (kind == Kind.ARCHIVE) {
        String name = list.name(file);
        archives.put(name, new Owed(name, file, state));
      } else if (kind == Kind.RAW) {
        waiting.add(names.archiveOf(file));
      } else if (kind == Kind.STOCK_TMP) { // it could not be renamed yet
        waiting.add(names.archiveOf(names.rawOfStockTmp(policy.files, file, state)));
      }
      return true;
    }

    /** An archive of an earlier pattern is none that is shown, and may be there all the same. */
    boolean isGone(String name) {
      try {
        return !archives.containsKey(name) && policy.files.state(list.archive(name)) == null;
      } catch (IOException e) {
        failure = e;
        return false;
      }
    }
  }

  /** By the thread that calls the listener, without the lock. */
  private void give(Owed next) {
    String failure = null;
    boolean asked = false; // the disk may not answer, which is not the listener's refusal
    boolean written = false;
    long quietNanos = 0;
    try {
      Disk.State state = policy.files.state(next.file);
      asked = true;
      if (state == null || !state.regular()) {
        throw new NoSuchFileException(next.file.toString());
      }
      if (listener instanceof LifeCycle cycle && !cycle.isStarted()) {
        throw new IllegalStateException("the archive listener has not started");
      }
      written = policy.written().contains(next.file);
      quietNanos = next.whole ? 0 : quietNanos(state);
      if (!written && quietNanos == 0) {
        listener.archived(next.file);
      }
    } catch (Throwable t) {
      failure = Reports.text(t);
    }
    lock.lock();
    try {
      inHand = null;
      if (owed.get(next.name) != next) {
        return; // retention has deleted it meanwhile, and told so, or it is written again
      }
      if (written) {
        owed.remove(next.name);
        unlisted = true;
        unseen = true; // that may be over by now
      } else if (quietNanos > 0) {
        next.quiet.begin(quietNanos);
      } else if (failure == null) {
        taken(next);
      } else if (!asked) {
        next.pause.longer();
        policy.reports.warn(
            "archive.listener.away",
            "Cannot look at ["
                + next.file
                + "] for the archive listener: "
                + failure
                + "."
                + AGAIN);
      } else if (isThere(next.file)) {
        refused(next, failure);
      } else {
        owed.remove(next.name);
        unlisted = true;
        goneUntaken();
      }
      count();
    } finally {
      lock.unlock();
    }
  }

  /**
   * How long nobody may write to an archive until it is taken for whole. A time in the future, but
   * for clocks that differ a little, is no sign that somebody writes to it.
   */
  private long quietNanos(Disk.State archive) {
    long age = policy.clock.getAsLong() - archive.modified().toMillis();
    return Math.abs(age) < QUIET_MILLIS ? TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS - age) : 0;
  }

  /** What the listener has deleted is not remembered: the next of its name is another archive. */
  private void taken(Owed next) {
    owed.remove(next.name);
    if (published.contains(next.file)) {
      unseen = true; // written on and rolled over meanwhile: it is owed anew
    } else if (isThere(next.file)) {
      taken.add(next.name);
    }
    unlisted = true;
    given++;
  }

  private void refused(Owed next, String failure) {
    next.pause.longer();
    refused++;
    policy.reports.warn(
        "archive.listener",
        "The archive listener did not take ["
            + next.file
            + "]: "
            + failure
            + "."
            + AGAIN
            + " Other archives are given meanwhile. To do: see what the archive listener needs");
  }

  private boolean isThere(Path archive) {
    try {
      return policy.files.state(archive) != null;
    } catch (IOException unknown) {
      return true;
    }
  }

  private void goneUntaken() {
    deleted++;
    count();
    policy.reports.warn("archive.listener.late", late);
  }

  private String late() {
    return figures.deleted()
        + " archives were deleted before the archive listener had taken them, since the start. One"
        + " that the listener deletes in a call which a stop or a crash cuts off counts as well. To"
        + " do: see why it is late, or raise maxHistory or totalSizeCap.";
  }
}
