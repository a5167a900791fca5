/**
 * What happened to every event, by state and by cause, and whether an appender is well.
 *
 * <pre>
 *   appender --Reading--&gt; SpillwayMetrics --&gt; Snapshot --&gt; Health
 *                               |
 *                               +--Metric--&gt; SpillwayMXBean (JMX), SpillwayMeters (Micrometer)
 * </pre>
 *
 * <p>Micrometer may be missing at run time: {@link io.spillway.metrics.SpillwayMeters} is the only
 * class that names it. The figures with their units are listed in {@code METRICS.md}.
 */
package io.spillway.metrics;
