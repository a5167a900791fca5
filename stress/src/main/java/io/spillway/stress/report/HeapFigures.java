package io.spillway.stress.report;

/**
 * How much of the heap was in use, seen before and after each garbage collection; there is one at
 * the end of the load, which the harness asks for.
 *
 * @param limitBytes the most it may take
 * @param peakBytes the most before a collection, garbage included
 * @param afterCollectionBytes the most after a collection: what was alive, and so what queues held
 */
public record HeapFigures(long limitBytes, long peakBytes, long afterCollectionBytes) {}
