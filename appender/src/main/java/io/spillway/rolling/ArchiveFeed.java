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
 * Gives archives to an {@link ArchiveListener}, the oldest first. The listener is owed each archive
 * in the directory that the {@link TakenList} does not list as taken, and each archive that the
 * list names as owed. A crash therefore loses no archive; at worst, archives are given again. A
 * refused archive is given again after a pause, and delays no other archive.
 *
 * <p>Concurrency: the compressor's thread, which makes and deletes archives, looks at the directory
 * and writes the list. The listener's thread, which exists only while archives are owed, calls the
 * listener, writes the list after it has taken archives, and retries a failed look or write. {@code
 * lock} guards the state of the feed and is never held while the listener is called: a listener
 * that hangs blocks only its own thread. {@link #figures} and {@link #published} do not take the
 * lock, because it is held while a directory is listed; any thread may call them.
 */
final class ArchiveFeed {
  private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
  private static final long LAST_PAUSE_NANOS = 300_000_000_000L;

  /** With this many owed archives, the list is written once a second: a write takes two fsyncs. */
  private static final int MANY = 64;

  private static final long LIST_NANOS = 1_000_000_000L;

  /** The longest wait for a signal, and so the delay by a signal lost to an OutOfMemoryError. */
  private static final long MOST_REST_NANOS = 1_000_000_000L;

  /** A list unreadable this long counts as empty: archives are better given twice than never. */
  private static final long LIST_PATIENCE_NANOS = 3_000_000_000L;

  /** How long a stop waits for the last write of the list, as the disk may hang. */
  private static final long LAST_LIST_MILLIS = 1_000;

  /**
   * An archive that this run has not made must be unmodified for this long before it is given: it
   * may be a copy that another process still writes under the archive's name.
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
  private final Supplier<String> late = this::late; // linked here, not when memory is short
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread last = new FinalListWriter(); // created here: a stop may lack memory for it
  private final Set<Path> published = ConcurrentHashMap.newKeySet(); // by this run, not yet given
  private volatile boolean stopped;

  // Guarded by lock.
  private Set<String> taken; // null until the list is read
  private final Map<String, Owed> owed = new HashMap<>();
  private final Set<String> unresolvedNames =
      new TreeSet<>(); // listed as owed, or deleted before the list was read; not looked up yet
  private String inHand; // name of the archive that the listener may delete now; null if none
  private boolean lookPending; // the directory must be looked at again
  private boolean listStale; // the list on disk is out of date
  private long listedNanos;
  private long unreadNanos; // when a read of the list failed first; used while taken is null
  private int failedLooks; // in a row
  private int failedLists;
  private final Pause chores = new Pause(); // until a failed look or write of the list is retried
  private boolean running;
  private long given;
  private long refused;
  private long deleted;

  private volatile Handed figures = Handed.NOTHING; // written under lock; they add up

  /** Creates the feed of a policy whose archiver is about to be created. */
  ArchiveFeed(ArchivingPolicy policy, ArchiveListener listener) {
    this.policy = policy;
    this.listener = listener;
    this.names = policy.names();
    this.root = policy.pattern().root();
    this.list = new TakenList(policy);
    this.nanoClock = policy.nanoClock;
    this.listedNanos = nanoClock.getAsLong();
  }

  /** The time until something is tried again. */
  private final class Pause {
    private long nanos; // 0 before the first
    private long endNanos;

    /** Begins a pause after a failure: a second at first, then doubled up to five minutes. */
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

  /**
   * An archive that is to be given. Ordered by the length of the pause, then by age: the oldest
   * first, and archives refused most often last.
   */
  private final class Owed implements Comparable<Owed> {
    private final String name;
    private final Path file;
    private final long millis;
    private final Pause pause = new Pause(); // after a refusal
    private final Pause quiet = new Pause(); // while another process may write to it
    private boolean whole; // complete, because this run has made it

    Owed(String name, Path file, Disk.State state) {
      this.name = name;
      this.file = file;
      this.millis = state.modified().toMillis();
    }

    /** Returns how long the archive must wait; one published since it was seen need not. */
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
    long waiting = owed.size() + unresolvedNames.size();
    figures = new Handed(given, waiting, refused, deleted, failedLooks > 1 || failedLists > 1);
  }

  /** Looks for archives. Called on the compressor's thread, before retention deletes any. */
  void look() {
    lock.lock();
    try {
      lookPending = true;
      tryLook();
    } finally {
      lock.unlock();
    }
  }

  /** Records that this run has made an archive, which is whole. Any thread; does not wait. */
  void published(Path archive) {
    published.add(archive);
  }

  /**
   * Discards an archive, or a rolled file that would become one. Called on the compressor's thread.
   *
   * @return its path until it is deleted, or null if it stays; see {@link Archiver#discard}
   */
  Path discard(Path file) throws IOException {
    lock.lock(); // otherwise the listener's thread may find it gone and count it as well
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
    listStale = true;
    if (taken == null) {
      unresolvedNames.add(name); // the list will say whether it was taken
    } else if (!taken.remove(name)) {
      unresolvedNames.remove(name);
      goneUntaken();
    }
  }

  /**
   * Writes the list, and starts the listener's thread if something is owed. Called on the
   * compressor's thread after it has dealt with its files. Throws if no thread can be started; the
   * compressor then calls again.
   */
  void settled() {
    lock.lock();
    try {
      tryList();
      changed.signalAll();
      if (!running && !isStopped() && restNanos() < Long.MAX_VALUE) {
        Thread thread = new ListenerThread();
        thread.start();
        running = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the feed, and leaves an up-to-date list to a successor. Called while the policy still
   * holds the names. Does not wait for the listener: an archive that it is processing is given
   * again.
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
      Thread.onSpinWait(); // no thread can be started, or another stop has started it
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

  /** Thread that writes the list a last time and ends the feed, because the disk may hang. */
  private final class FinalListWriter extends Thread {
    FinalListWriter() {
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
    return stopped || !policy.archiver().isRunning(); // another appender may hold the names
  }

  private final class ListenerThread extends Thread {
    ListenerThread() {
      super(null, null, THREAD_NAME, 0, false);
      setDaemon(true);
      setContextClassLoader(listener.getClass().getClassLoader());
    }

    @Override
    public void run() {
      boolean more = true;
      while (more) {
        try {
          Thread.interrupted(); // the listener may leave an interrupt, which ends nothing here
          more = step();
        } catch (Throwable noMemory) {
          LockSupport.parkNanos(this, FIRST_PAUSE_NANOS);
        }
      }
    }
  }

  /** Gives one archive, or waits until one is due; returns false if nothing is left to do. */
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
      next.whole |= published.remove(next.file); // a later file of its name is another archive
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
    long rest = lookPending || listStale ? chores.restNanos() : Long.MAX_VALUE;
    for (Owed each : owed.values()) {
      rest = Math.min(rest, each.restNanos());
    }
    return rest;
  }

  private void tryLook() {
    if (lookPending && !isStopped()) {
      try {
        lookNow();
        lookPending = false;
        failedLooks = 0;
        chores.nanos = 0;
      } catch (Throwable t) {
        failedLooks++;
        retryLater(
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
    if (listStale && taken != null && !isStopped()) {
      try {
        if (list.isDoubtful()) {
          judgeList();
        }
        Set<String> waiting = new TreeSet<>(owed.keySet());
        waiting.addAll(unresolvedNames);
        list.write(taken, waiting);
        listStale = false;
        listedNanos = nanoClock.getAsLong();
        failedLists = 0;
        chores.nanos = 0;
      } catch (Throwable t) {
        failedLists++;
        retryLater(
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

  private void retryLater(String chore, String message) {
    if (chores.restNanos() == 0) { // a call during the pause does not prolong it
      chores.longer();
    }
    policy.reports.warn("archive.listener." + chore, message);
  }

  private void lookNow() throws IOException {
    if (taken == null) {
      read();
    }
    Set<Path> made = Set.copyOf(published); // before the walk, which then shows each of them
    Look look = new Look();
    try {
      names.walk(policy.files, look);
    } catch (IOException e) {
      look.failure = e; // the walk has shown all that it could read
    }
    boolean allSeen = look.failure == null;
    Set<Path> written = policy.written();
    for (Owed each : look.archives.values()) {
      boolean another = made.contains(each.file); // not the one of its name that was taken
      if ((another || !taken.contains(each.name))
          && !look.waiting.contains(each.file)
          && !written.contains(each.file)
          && (allSeen || isAlone(each.file))
          && owed.putIfAbsent(each.name, each) == null) {
        taken.remove(each.name);
        listStale = true;
      }
    }
    for (Iterator<String> each = unresolvedNames.iterator(); each.hasNext(); ) {
      String name = each.next();
      if (list.isDoubtful() && names.kindOf(list.archive(name)) == Kind.FOREIGN) {
        continue; // only a list of doubtful owner calls it an archive
      }
      try {
        Owed found = found(name, written);
        if (found != null) {
          owed.putIfAbsent(name, found);
        }
        each.remove();
        listStale = true;
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
        listStale = true;
      }
    }
    for (Iterator<Owed> each = owed.values().iterator(); each.hasNext(); ) {
      Owed next = each.next();
      if (written.contains(next.file)) { // written again: then it is another archive
        each.remove();
        listStale = true;
      } else if (!next.name.equals(inHand) && look.isGone(next.name)) {
        each.remove();
        listStale = true;
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

  /** Returns whether there is no rolled file of an archive, which a failed walk may have missed. */
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
    unresolvedNames.removeAll(content.taken());
    unresolvedNames.addAll(content.owed());
    listStale = true;
    taken = content.taken();
  }

  /** Returns the archive of a listed name; null if it does not exist or must not be given. */
  private Owed found(String name, Set<Path> written) throws IOException {
    Path archive = list.archive(name);
    boolean may = mayBeOwed(archive) && !written.contains(archive);
    Disk.State state = may ? policy.files.state(archive) : null;
    return state != null && state.regular() ? new Owed(name, archive, state) : null;
  }

  /**
   * Returns whether an archive of a listed name is to come, and will be owed. A name listed without
   * compression may be the active file again or, with compression now, a rolled file.
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

  /** Decides whose the list is before it is replaced: it was read with its owner unknown. */
  private void judgeList() throws IOException {
    boolean anothers = list.isReplaced();
    lookPending = true; // to look up the names that waited for this decision
    if (anothers) {
      taken.clear();
      unresolvedNames.clear();
      list.setAsideAsAnothers();
    }
  }

  /** Returns whether a listed file may be given: only from the list's or pattern's directory. */
  private boolean mayBeOwed(Path archive) throws IOException {
    Kind kind = names.kindOf(archive);
    Path directory = real(archive.getParent());
    return (kind == Kind.ARCHIVE || kind == Kind.FOREIGN)
        && (directory.startsWith(real(list.directory())) || directory.startsWith(real(root)));
  }

  private static Path real(Path directory) throws IOException {
    return Files.exists(directory) ? directory.toRealPath() : directory;
  }

  /** Collects what one walk of the directories shows. */
  private final class Look implements ArchiveNames.Visitor {
    private final Map<String, Owed> archives = new HashMap<>();
    private final Set<Path> waiting = new HashSet<>(); // archives whose rolled file is not done yet
    private IOException failure; // of a name, which is left as it is until the next look

    @Override
    public boolean visit(Path file, Kind kind, Disk.State state) throws IOException {
      if (kind == Kind.ARCHIVE) {
        String name = list.name(file);
        archives.put(name, new Owed(name, file, state));
      } else if (kind == Kind.RAW) {
        waiting.add(names.archiveOf(file));
      } else if (kind == Kind.STOCK_TMP) { // stock Logback's, not renamed yet
        waiting.add(names.archiveOf(names.rawOfStockTmp(policy.files, file, state)));
      }
      return true;
    }

    /**
     * Returns whether an archive is gone. The walk shows none of an earlier pattern, so the disk is
     * asked about each one that it did not show.
     */
    boolean isGone(String name) {
      try {
        return !archives.containsKey(name) && policy.files.state(list.archive(name)) == null;
      } catch (IOException e) {
        failure = e;
        return false;
      }
    }
  }

  /** Gives an archive to the listener. Called on the listener's thread without the lock. */
  private void give(Owed next) {
    String failure = null;
    boolean asked = false; // if false, the disk failed and the listener refused nothing
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
        return; // meanwhile deleted and counted by retention, or written again
      }
      if (written) {
        owed.remove(next.name);
        listStale = true;
        lookPending = true; // the file may have been rolled over by now
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
        listStale = true;
        goneUntaken();
      }
      count();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns how much longer an archive must be unmodified before it is taken for whole. A
   * modification time further in the future than clocks differ is no sign of a writer.
   */
  private long quietNanos(Disk.State archive) {
    long age = policy.clock.getAsLong() - archive.modified().toMillis();
    return Math.abs(age) < QUIET_MILLIS ? TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS - age) : 0;
  }

  /**
   * Records that the listener has taken an archive. One that the listener has deleted is not
   * listed, because a later archive of its name is another one.
   */
  private void taken(Owed next) {
    owed.remove(next.name);
    if (published.contains(next.file)) {
      lookPending = true; // meanwhile written on and rolled over: it is owed again
    } else if (isThere(next.file)) {
      taken.add(next.name);
    }
    listStale = true;
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
