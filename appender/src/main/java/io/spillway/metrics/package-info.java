/**
 * What happened to every event, by state and by cause, and how that is told.
 *
 * <pre>
 *   publishers --drops, waits (striped adders)--&gt; Counters &lt;--all else-- drainer, deliverer, spill
 *                                                    |
 *   drainer --Pulse--&gt; PendingAge, LossWatch --------+--&gt; Snapshot --&gt; JMX, Micrometer, Health
 *   drainer, deliverer, compressor --&gt; FlightLog --&gt; flight recording (jdk.jfr)
 *   all but log calls that succeed --&gt; Reports --&gt; Logback's status messages
 * </pre>
 *
 * <p>An accepted event costs nothing to count: its number is the ring's cursor. What needs a clock
 * or a comparison is done by the drainer between batches. Micrometer and {@code jdk.jfr} may be
 * missing at run time: {@link io.spillway.metrics.SpillwayMeters} and the {@code Jfr} classes are
 * the only ones that name them. The figures with their units are listed in {@code METRICS.md}.
 */
package io.spillway.metrics;
