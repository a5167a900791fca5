package io.spillway.rolling;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How many periods ago a name was made. Goes back period by period and compares what the pattern
 * prints; names are not parsed, so that nothing is ever taken for older than it is. Used by one
 * thread.
 */
final class PeriodAges {
  /**
   * How far beyond what is kept the first clean looks, as Logback's: what is older still was kept
   * before, and stays.
   */
  private static final Duration LOOKED_BACK = Duration.ofDays(32);

  private static final int MOST_LOOKED_BACK = 14 * 24; // Logback's, in periods

  /** Later ones look no less far, and reach what has grown old since. */
  private static final int MOST_SEARCHED = 10_000;

  /** How old a name can be that was in the future when it was last looked for in vain. */
  private static final int AGED = 1;

  private static final int LONGEST_HISTORY = 1_000_000;

  private final ArchivePattern pattern;
  private final Periods periods;
  private final int maxHistory;
  private final Set<String> unknown = new HashSet<>(); // looked for already, in vain
  private Instant last = Instant.MIN;

  PeriodAges(ArchivePattern pattern, int maxHistory) {
    this.pattern = pattern;
    this.periods = Periods.of(pattern.primaryDate());
    this.maxHistory = Math.min(maxHistory, LONGEST_HISTORY);
  }

  /**
   * The ages of names, as {@link ArchivePattern.Parts#withoutNumbers}; none for unknown ones.
   *
   * @param since the first rollover, however late its clean is
   */
  Map<String, Integer> of(Collection<String> names, Instant now, Instant since) {
    forgetAfterStep(now);
    Set<String> sought = new HashSet<>(names);
    unknown.retainAll(sought);
    Map<String, Integer> ages = new HashMap<>();
    int wanted = sought.size() - unknown.size();
    int last = maxHistory + searched(now, since);
    for (int age = 0; age <= last && (wanted > 0 || age <= AGED); age++) {
      Instant start = periods.start(now, -age);
      String name = pattern.partsOf(pattern.stem(start, 1)).withoutNumbers();
      if (sought.contains(name) && ages.putIfAbsent(name, age) == null && !unknown.remove(name)) {
        wanted--;
      }
    }
    sought.removeAll(ages.keySet());
    unknown.addAll(sought);
    return ages;
  }

  private int searched(Instant now, Instant since) {
    Instant first = now.isBefore(since) ? now : since;
    long back = Math.min(periods.between(now, now.plus(LOOKED_BACK)), MOST_LOOKED_BACK);
    return (int) Math.min(back + periods.between(first, now), MOST_SEARCHED);
  }

  /** What was in the future may be in the past now. */
  private void forgetAfterStep(Instant now) {
    if (now.isBefore(last) || last == Instant.MIN || now.isAfter(periods.start(last, 2))) {
      unknown.clear();
    }
    last = now;
  }
}
