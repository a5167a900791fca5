package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.util.function.LongSupplier;

/**
 * What all parts of one open spill share.
 *
 * @param config where it lives and how it behaves
 * @param files every operation on its files
 * @param listener told of failures
 * @param counters what all threads may ask for
 * @param nanoClock of intervals and patience
 */
record SpillContext(
    SpillConfig config,
    Disk files,
    SpillListener listener,
    SpillCounters counters,
    LongSupplier nanoClock) {}
