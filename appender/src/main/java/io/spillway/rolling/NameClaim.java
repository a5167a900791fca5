package io.spillway.rolling;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.ConfigurationEvent;
import ch.qos.logback.core.spi.ConfigurationEventListener;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * One appender's claim to the names of its files. Two appenders on the same names would shift,
 * compress and expire each other's files. Logback's own check compares class names and does not see
 * Spillway's policies. Thread-safe.
 *
 * <p>Within a context, the later of two Spillway policies is refused. Logback's appenders register
 * no claim and can be found only once they are attached to a logger; therefore each claim is
 * checked again when a configuration has been read, and before the first rollover. Before a
 * rollover, names are compared as they are written, unless links have not been resolved yet, or
 * collided when they were: to resolve a link reads the disk of the other appender, and no rollover
 * may wait for a disk that does not answer. An appender that a reconfiguration replaces does not
 * contest the names of its replacement, which has the same appender name, since it may still be
 * stopping.
 *
 * <p>In the whole JVM, one appender at a time holds the names and rolls over. An appender that is
 * not started, or has stopped, does not keep the names from another one: Logback never stops the
 * policy of an appender that it could not start.
 */
public final class NameClaim {
  private static final String CLAIMS = NameClaim.class.getName(); // key in the context's objects
  private static final long LOOK_AGAIN_NANOS = 1_000_000_000L;
  private static final Set<Context> WATCHED = Collections.newSetFromMap(new WeakHashMap<>());

  private final FileAppender<?> appender;
  private final Names names;
  private final Consumer<String> refused;
  private final List<NameClaim> claims; // all of the context
  private volatile long nextLookNanos = System.nanoTime();
  private final Held held = new Held();
  private volatile boolean clear;
  private volatile boolean contested; // links collided when last resolved
  private volatile boolean linked; // links have been resolved since the claim was made
  private volatile boolean holding; // written under the monitor of the register
  private volatile boolean asked;

  private NameClaim(
      FileAppender<?> appender, Names names, Consumer<String> refused, List<NameClaim> claims) {
    this.appender = appender;
    this.names = names;
    this.refused = refused;
    this.claims = claims;
  }

  /**
   * Claims the names of an appender that has one of Logback's policies.
   *
   * @param appender the appender, with its file and its policy set
   * @param refused receives the message of a collision, at once or later: what collides and what to
   *     do
   * @return the claim, or null if another appender uses the names already
   */
  public static NameClaim claim(RollingFileAppender<?> appender, Consumer<String> refused) {
    return claim(appender, Names.of(appender, true), refused);
  }

  /** Claims the given names for an appender; returns null if another appender uses them already. */
  static NameClaim claim(FileAppender<?> appender, Names names, Consumer<String> refused) {
    List<NameClaim> claims = claimsIn(appender.getContext());
    NameClaim claim = new NameClaim(appender, names, refused, claims);
    if (!claim.isUncontested(true)) { // without the lock: it reads the disk
      return null;
    }
    synchronized (claims) {
      for (NameClaim other : claims) {
        if (!claim.isNamesake(other.appender) && claim.isContestedBy(other.appender, other.names)) {
          return null;
        }
      }
      claims.add(claim);
      return claim;
    }
  }

  /** Returns the claims of a context; the context keeps them, so that they end with it. */
  private static synchronized List<NameClaim> claimsIn(Context context) {
    List<NameClaim> claims = context == null ? null : known(context);
    if (claims == null) {
      claims = new CopyOnWriteArrayList<>();
      if (context != null) {
        context.putObject(CLAIMS, claims);
        if (WATCHED.add(context)) { // listeners outlive a reset, the claims do not
          context.addConfigurationEventListener(new Look(context));
        }
      }
    }
    return claims;
  }

  @SuppressWarnings("unchecked") // only this class uses the key
  private static List<NameClaim> known(Context context) {
    return (List<NameClaim>) context.getObject(CLAIMS);
  }

  /** Checks the claims once a configuration has been read, as all appenders can be found then. */
  private record Look(Context context) implements ConfigurationEventListener {
    @Override
    public void listen(ConfigurationEvent event) {
      List<NameClaim> claims = known(context);
      if (claims != null && event.getEventType().name().startsWith("CONFIGURATION_ENDED")) {
        for (NameClaim claim : claims) {
          claim.look(true);
        }
      }
    }
  }

  /**
   * Takes the names, unless another started appender holds them. An appender of the same name in
   * the same context is the predecessor, which a reconfiguration has stopped or is about to stop;
   * it yields the names, unless it has taken them back from this claim.
   *
   * @return false if another appender holds the names; that is reported
   */
  public boolean take() {
    Owners.Owned holder = Owners.take(held);
    asked = true;
    if (holder instanceof Held other) {
      NameClaim theirs = other.claim();
      refused.accept(message(theirs.appender, theirs.names));
    }
    return holder == null;
  }

  /** The entry of this claim in {@link Owners}, while it holds the names. */
  private final class Held extends Owners.Owned {
    NameClaim claim() {
      return NameClaim.this;
    }

    @Override
    protected boolean isExcludedBy(Owners.Owned holder) {
      if (!(holder instanceof Held held)) {
        return false;
      }
      FileAppender<?> other = held.claim().appender;
      boolean predecessor = !asked && isNamesake(other) && isInContextOf(other);
      return !predecessor && other.isStarted() && names.collidesWith(held.claim().names);
    }

    @Override
    protected void taken() {
      holding = true;
    }

    @Override
    protected boolean yieldsTo(Owners.Owned next) {
      boolean succeeded = next instanceof Held other && other.claim().names.collidesWith(names);
      holding &= !succeeded;
      return succeeded;
    }

    @Override
    public String toString() {
      return "names [" + names.patternText() + "] of appender [" + nameOf(appender) + "]";
    }
  }

  /**
   * Returns whether the files may be renamed: no other appender of the context uses the names, and
   * none of the JVM has taken them. The former is checked until it is true once, as an appender
   * that comes later is the one at fault. Checks once a second at most.
   *
   * @return false if another appender uses or holds the names; that is reported
   */
  public boolean mayRollOver() {
    if (!(clear && holding) && System.nanoTime() - nextLookNanos >= 0) {
      clear = look(contested || !linked);
      nextLookNanos = System.nanoTime() + LOOK_AGAIN_NANOS;
    }
    return clear && holding;
  }

  /** Checks now whether the files may be renamed, with links resolved if {@code links} is true. */
  private boolean look(boolean links) {
    boolean uncontested = isUncontested(links);
    if (links) {
      contested = !uncontested;
      linked = true;
    }
    return uncontested && (holding || take());
  }

  /** Returns whether no appender that can be found uses the names; one that does is reported. */
  private boolean isUncontested(boolean links) {
    for (FileAppender<?> other : startedIn(appender.getContext())) {
      if (!isNamesake(other) && isContestedBy(other, Names.of(other, links))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the started file appenders of a context, as far as they can be found: those of its
   * loggers or, in an access log, of the context itself, and those nested in them; none while a
   * configuration is being read. The appenders of a {@code SiftingAppender} are left out: it starts
   * and stops them under the lock that listing them takes, and a stop may wait for the thread that
   * calls this method.
   */
  private static List<FileAppender<?>> startedIn(Context context) {
    List<Appender<?>> all = new ArrayList<>(); // few
    if (context instanceof LoggerContext loggers) {
      for (AppenderAttachable<?> logger : loggers.getLoggerList()) {
        addNested(logger, all);
      }
    } else if (context instanceof AppenderAttachable<?> parent) {
      addNested(parent, all);
    }
    List<FileAppender<?>> files = new ArrayList<>();
    for (Appender<?> appender : all) {
      if (appender instanceof FileAppender<?> file && file.isStarted()) {
        files.add(file);
      }
    }
    return files;
  }

  private static void addNested(AppenderAttachable<?> parent, List<Appender<?>> all) {
    Iterator<? extends Appender<?>> nested = parent.iteratorForAppenders();
    while (nested.hasNext()) {
      Appender<?> appender = nested.next();
      if (!all.contains(appender)) {
        all.add(appender);
        if (appender instanceof AppenderAttachable<?> next) {
          addNested(next, all);
        }
      }
    }
  }

  private boolean isContestedBy(FileAppender<?> other, Names theirs) {
    boolean collide = names.collidesWith(theirs);
    if (collide) {
      refused.accept(message(other, theirs));
    }
    return collide;
  }

  private String message(FileAppender<?> other, Names theirs) {
    String context =
        isInContextOf(other) ? "" : " of context [" + other.getContext().getName() + "]";
    String allowed =
        "names that appender ["
            + nameOf(other)
            + "]"
            + context
            + " does not use for its <file> ["
            + theirs.activeText()
            + "] or its [fileNamePattern] ["
            + theirs.patternText()
            + "]";
    String remedy = "give each appender a <file> and a [fileNamePattern] of its own";
    return names.pattern() == null
        ? Refusals.message("file", names.activeText(), allowed, remedy)
        : Refusals.message("fileNamePattern", names.patternText(), allowed, remedy);
  }

  private boolean isNamesake(FileAppender<?> other) {
    return nameOf(other).equals(nameOf(appender));
  }

  private boolean isInContextOf(FileAppender<?> other) {
    return other.getContext() == appender.getContext();
  }

  private static String nameOf(FileAppender<?> appender) {
    String name = appender.getName();
    return name == null ? "appender " + System.identityHashCode(appender) : name;
  }

  /** Gives the names back. */
  public void release() {
    holding = false;
    Owners.release(held);
    claims.remove(this);
  }

  /**
   * The names that one appender uses. Links are resolved when the names are created, or never,
   * because names are compared where no thread may wait for a disk.
   *
   * @param active the appender's {@code <file>}, or null if it has none
   * @param pattern the pattern of its archives, or null if it has none
   * @param root the directory of its archives, null without pattern
   * @param sample the name of one of its rolled files, relative to the root
   * @param real the same names with links resolved; both are compared, as a link may stand where a
   *     pattern has a date. Null in {@code real} itself, and where links are not resolved
   */
  record Names(Path active, ArchivePattern pattern, Path root, String sample, Names real) {

    /** Returns the names of one of Spillway's policies, with links resolved. */
    static Names of(ArchivingPolicy policy, ArchivePattern pattern) {
      return of(policy.filePath(), pattern, policy.sampleIndex());
    }

    /** Returns the names of any appender, as far as its settings show them. */
    static Names of(FileAppender<?> appender, boolean links) {
      String file = appender.rawFileProperty();
      Path active = file == null ? null : FilePaths.path(file).toAbsolutePath().normalize();
      ArchivePattern pattern = appender instanceof RollingFileAppender<?> own ? pattern(own) : null;
      return links ? of(active, pattern, 1) : written(active, pattern, 1);
    }

    /**
     * Returns the names of a file and a pattern, with links resolved.
     *
     * @param active the file, or null if there is none
     * @param pattern the pattern of archives, or null if there is none
     * @param index an index that an archive may have
     */
    static Names of(Path active, ArchivePattern pattern, int index) {
      Names written = written(active, pattern, index);
      Path root = canonical(written.root);
      Names real = new Names(canonical(active), pattern, root, written.sample, null);
      return new Names(active, pattern, written.root, written.sample, real);
    }

    private static Names written(Path active, ArchivePattern pattern, int index) {
      Path root = pattern == null ? null : pattern.root();
      String sample = pattern == null ? null : pattern.stem(Instant.now(), index);
      return new Names(active, pattern, root, sample, null);
    }

    private static Path canonical(Path path) {
      return path == null ? null : FilePaths.canonical(path);
    }

    private static ArchivePattern pattern(RollingFileAppender<?> appender) {
      RollingPolicy policy = appender.getRollingPolicy();
      String text = null;
      if (policy instanceof RollingPolicyBase logbacks) {
        text = logbacks.getFileNamePattern();
      } else if (policy instanceof ArchivingPolicy own) {
        text = own.getFileNamePattern();
      }
      if (text == null) {
        return null;
      }
      boolean compressed = policy.getCompressionMode() != CompressionMode.NONE;
      try {
        int dot = text.lastIndexOf('.');
        String suffix = compressed && dot >= 0 ? text.substring(dot).strip() : "";
        return new ArchivePattern(text, suffix, null, appender.getContext());
      } catch (RuntimeException notUnderstood) {
        return null; // a foreign policy gives the pattern another meaning: unknown names
      }
    }

    /** Returns whether both would write, roll over or expire the same file; needs {@code real}. */
    boolean collidesWith(Names other) {
      return overlaps(other) || real.overlaps(other.real == null ? other : other.real);
    }

    private boolean overlaps(Names other) {
      return active != null && active.equals(other.active)
          || covers(other.rolled())
          || covers(other.active)
          || other.covers(rolled())
          || other.covers(active);
    }

    /** Returns whether the appender's own {@code <file>} would be taken for one of its archives. */
    boolean coverTheFile() {
      return covers(active) || real.covers(real.active);
    }

    private Path rolled() {
      return root == null ? null : root.resolve(sample);
    }

    private boolean covers(Path file) {
      return pattern != null && file != null && pattern.covers(root, file);
    }

    /** Returns the path of {@code <file>} for messages, or an empty text. */
    String activeText() {
      return active == null ? "" : active.toString();
    }

    /** Returns the text of the pattern for messages, or an empty text. */
    String patternText() {
      return pattern == null ? "" : pattern.text();
    }
  }
}
