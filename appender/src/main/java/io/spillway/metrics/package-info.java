/**
 * What happened to every event, by state and by cause, and the health of an appender.
 *
 * <pre>
 *   appender --Reading--&gt; SpillwayMetrics --&gt; Snapshot --&gt; Health
 *                               |
 *                               +--Metric--&gt; SpillwayMXBean (JMX), SpillwayMeters (Micrometer)
 * </pre>
 *
 * <p>Micrometer may be missing at run time: {@link io.spillway.metrics.SpillwayMeters} is the only
 * class that refers to it. {@code METRICS.md} lists the figures with their units.
 */
package io.spillway.metrics;
