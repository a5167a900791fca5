package io.spillway.metrics;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the parts of a pipeline hold at this moment. Each supplier may be called from any thread.
 *
 * @param accepted events that entered the ring
 * @param ringCapacity slots
 * @param ringUsed slots in use
 * @param memoryBytes estimated heap of the memory hand-off
 * @param memoryCapacityBytes its bound
 * @param spillBytes bytes on disk
 * @param spillCapacityBytes their bound
 * @param leftoverBytes bytes of earlier runs still to be delivered
 * @param synced spilled events whose fsync returned
 * @param archives what the rolling policy's compressor has done
 */
public record Gauges(
    LongSupplier accepted,
    long ringCapacity,
    LongSupplier ringUsed,
    LongSupplier memoryBytes,
    long memoryCapacityBytes,
    LongSupplier spillBytes,
    long spillCapacityBytes,
    LongSupplier leftoverBytes,
    LongSupplier synced,
    Supplier<ArchiveMetrics> archives) {}
