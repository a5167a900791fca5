package io.spillway.rolling;

import io.spillway.metrics.Reports;

/** Finds another name where one is taken, and says so. Under the lock. */
final class FreeNames {
  private final Site site;
  private final UsedNumbers numbers;
  private final Reports reports;

  FreeNames(Site site, UsedNumbers numbers, Reports reports) {
    this.site = site;
    this.numbers = numbers;
    this.reports = reports;
  }

  /**
   * A stem with a number behind it that is higher than all that are known. Looks only for
   * existence, so that the compressor may ask while a rollover waits for the lock.
   */
  String next(String stem) {
    int number = site.pattern().partsOf(stem).freeNumber();
    String base = number == 0 ? stem : stem.substring(0, stem.lastIndexOf('.'));
    number = Math.max(number, numbers.known(base, 0));
    String free;
    do {
      number++;
      free = ArchivePattern.free(base, number);
    } while (site.places().isTaken(free));
    numbers.used(base, number);
    reports.warn(
        "taken",
        "The name ["
            + site.places().archive(base)
            + "] is taken, and nothing is overwritten: the next file becomes ["
            + site.places().archive(free)
            + "]. This happens when the clock steps back, or after a crash.");
    return free;
  }
}
