package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.util.function.LongSupplier;

/**
 * The objects that all parts of one open spill share.
 *
 * @param config where the spill lives and how it behaves
 * @param files every operation on the files of the spill
 * @param listener receives failures
 * @param counters figures that any thread may read
 * @param nanoClock clock for intervals and retries, in nanoseconds
 */
record SpillContext(
    SpillConfig config,
    Disk files,
    SpillListener listener,
    SpillCounters counters,
    LongSupplier nanoClock) {}
