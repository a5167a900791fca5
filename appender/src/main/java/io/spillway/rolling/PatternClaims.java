package io.spillway.rolling;

import ch.qos.logback.core.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which appender of a context rolls which names. Two on one pattern would shift, compress and
 * expire each other's files. Given back by {@code stop()}; an appender that a reconfiguration
 * replaces by one of the same name does not stand in its way, since it may still be stopping.
 */
final class PatternClaims {
  private final List<Claim> claims = new ArrayList<>();

  private PatternClaims() {}

  /**
   * What one appender uses.
   *
   * @param owner name of the appender
   * @param pattern of its archives
   * @param sample one of its rolled files
   * @param active its {@code <file>}, or null if it has none
   */
  record Claim(String owner, ArchivePattern pattern, Path sample, Path active) {
    private boolean collidesWith(Claim other) {
      return pattern.covers(other.sample)
          || other.pattern.covers(sample)
          || active != null && (active.equals(other.active) || other.pattern.covers(active))
          || other.active != null && pattern.covers(other.active);
    }
  }

  /** Those of a context, kept in the context, so that they end with it. */
  static PatternClaims of(Context context) {
    synchronized (PatternClaims.class) {
      String key = PatternClaims.class.getName();
      if (context.getObject(key) instanceof PatternClaims known) {
        return known;
      }
      PatternClaims claims = new PatternClaims();
      context.putObject(key, claims);
      return claims;
    }
  }

  /** Returns the claim of another appender that stands in the way, or null: it is yours now. */
  synchronized Claim claim(Claim claim) {
    for (Claim other : claims) {
      if (!other.owner.equals(claim.owner) && claim.collidesWith(other)) {
        return other;
      }
    }
    claims.add(claim);
    return null;
  }

  /** Gives back what was claimed. */
  synchronized void release(Claim claim) {
    claims.removeIf(known -> known == claim); // an equal one may be the successor's
  }
}
