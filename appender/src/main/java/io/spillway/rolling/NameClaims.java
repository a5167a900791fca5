package io.spillway.rolling;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.ConfigurationEvent;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Which appender of a context uses which names. Two on the same would shift, compress and expire
 * each other's files, and Logback's own check goes by class name, so that it does not see ours. An
 * appender that a reconfiguration replaces by one of the same name does not stand in its way, since
 * it may still be stopping.
 *
 * <p>Between Spillway's policies the later one is refused. Logback's appenders tell nobody of
 * themselves, and are found only once they are attached to a logger: so each claim is looked at
 * again when a configuration has been read, and before the first rollover. What another context
 * uses is a matter of {@link NameClaim#take}.
 */
public final class NameClaims {
  private static final Set<Context> WATCHED = Collections.newSetFromMap(new WeakHashMap<>());

  private final List<NameClaim> claims = new CopyOnWriteArrayList<>();

  private NameClaims() {}

  /** Those of a context, kept in the context, so that they end with it. */
  static synchronized NameClaims of(Context context) {
    if (context == null) {
      return new NameClaims();
    }
    String key = NameClaims.class.getName();
    if (context.getObject(key) instanceof NameClaims known) {
      return known;
    }
    NameClaims claims = new NameClaims();
    context.putObject(key, claims);
    if (WATCHED.add(context)) { // listeners outlive a reset, the claims do not
      context.addConfigurationEventListener(event -> configured(context, event));
    }
    return claims;
  }

  private static void configured(Context context, ConfigurationEvent event) {
    if (event.getEventType().name().startsWith("CONFIGURATION_ENDED")
        && context.getObject(NameClaims.class.getName()) instanceof NameClaims known) {
      for (NameClaim claim : known.claims) {
        claim.look();
      }
    }
  }

  /**
   * Claims the names of an appender with a policy of Logback's.
   *
   * @param appender with its file and its policy
   * @param refused told of a collision, at once or later: what collides and what to do
   * @return null if another appender stands in the way already
   */
  public static NameClaim claim(RollingFileAppender<?> appender, Consumer<String> refused) {
    return of(appender.getContext()).claim(appender, NameClaim.Names.of(appender), refused);
  }

  /**
   * Claims names for an appender.
   *
   * @param refused told of a collision, at once or later: what collides and what to do
   * @return null if another appender stands in the way already
   */
  synchronized NameClaim claim(
      FileAppender<?> appender, NameClaim.Names names, Consumer<String> refused) {
    NameClaim claim = new NameClaim(appender, names, refused, claims::remove);
    for (NameClaim other : claims) {
      if (claim.isContestedBy(other)) {
        return null;
      }
    }
    if (!claim.isUncontested()) {
      return null;
    }
    claims.add(claim);
    return claim;
  }

  /**
   * The file appenders of a context, as far as they can be found: those of its loggers or, as in an
   * access log's, its own, and those nested in them; while a configuration is being read, none.
   * Those of a {@code SiftingAppender} are left out: it starts and stops them under the lock that
   * listing them takes, and a stop may wait for the thread that asks here.
   */
  static final class ContextAppenders {
    private final Set<Appender<?>> all = new LinkedHashSet<>();

    private ContextAppenders() {}

    /** Those that are started. */
    static Set<FileAppender<?>> started(Context context) {
      ContextAppenders found = new ContextAppenders();
      if (context instanceof LoggerContext loggers) {
        for (AppenderAttachable<?> logger : loggers.getLoggerList()) {
          found.addNestedIn(logger);
        }
      } else if (context instanceof AppenderAttachable<?> parent) {
        found.addNestedIn(parent);
      }
      Set<FileAppender<?>> files = new LinkedHashSet<>();
      for (Appender<?> appender : found.all) {
        if (appender instanceof FileAppender<?> file && file.isStarted()) {
          files.add(file);
        }
      }
      return files;
    }

    private void addNestedIn(AppenderAttachable<?> parent) {
      Iterator<? extends Appender<?>> nested = parent.iteratorForAppenders();
      while (nested.hasNext()) {
        Appender<?> appender = nested.next();
        if (all.add(appender) && appender instanceof AppenderAttachable<?> next) {
          addNestedIn(next);
        }
      }
    }
  }
}
