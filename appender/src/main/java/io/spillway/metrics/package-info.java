/**
 * What an appender has done and holds, and whether it does its work.
 *
 * <pre>
 *   ring, spill, sink --&gt; Gauges, Counters --Metric--&gt; SpillwayMetrics --&gt; JMX, SpillwayMeters
 *                                |
 *                                +--Health.Rule--&gt; Health
 * </pre>
 *
 * <p>Micrometer may be missing at run time: {@link io.spillway.metrics.SpillwayMeters} is the only
 * class that refers to it. {@code OPERATIONS.md} lists the figures with their units.
 */
package io.spillway.metrics;
