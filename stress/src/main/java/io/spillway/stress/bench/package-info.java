/**
 * Figures that need no rotation: throughput beside the peers, the median log call, idle cost, spill
 * and replay. Each measurement runs in a JVM of its own, in turn, several times; medians are
 * reported.
 */
package io.spillway.stress.bench;
