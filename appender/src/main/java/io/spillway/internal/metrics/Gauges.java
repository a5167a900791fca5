package io.spillway.internal.metrics;

import io.spillway.metrics.ArchiveMetrics;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the parts of a pipeline hold at this moment. Each supplier may be called from any thread.
 *
 * @param started whether the appender takes events
 * @param accepted events that entered the ring
 * @param ringCapacity slots
 * @param ringUsed slots in use
 * @param memoryBytes estimated heap of the memory hand-off
 * @param memoryCapacityBytes its bound
 * @param spillUsable false as long as there is no spill
 * @param spilling whether what is logged now goes to the spill because the sink is behind
 * @param spillBytes bytes on disk
 * @param spillCapacityBytes their bound
 * @param leftoverBytes bytes of earlier runs still to be delivered
 * @param synced spilled events whose fsync returned
 * @param stuckThreads threads of ours that do not return from foreign code
 * @param held whether the drainer waits for room
 * @param archives what the rolling policy's compressor has done
 */
public record Gauges(
    BooleanSupplier started,
    LongSupplier accepted,
    long ringCapacity,
    LongSupplier ringUsed,
    LongSupplier memoryBytes,
    long memoryCapacityBytes,
    BooleanSupplier spillUsable,
    BooleanSupplier spilling,
    LongSupplier spillBytes,
    long spillCapacityBytes,
    LongSupplier leftoverBytes,
    LongSupplier synced,
    LongSupplier stuckThreads,
    BooleanSupplier held,
    Supplier<ArchiveMetrics> archives) {}
