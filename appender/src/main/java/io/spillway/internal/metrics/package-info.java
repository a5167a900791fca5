/**
 * How the figures of {@link io.spillway.metrics} are made, and how notable events are reported.
 *
 * <pre>
 *   publishers --drops, waits-------------------&gt; Counters &lt;--all else-- drainer, deliverer, spill
 *                                                    |
 *   drainer --Pulse--&gt; PendingAge -------------------+--&gt; LiveReading --&gt; io.spillway.metrics
 *   drainer, deliverer, compressor --&gt; FlightLog --&gt; flight recording (jdk.jfr)
 *   all but log calls that succeed --&gt; Reports --&gt; Logback's status messages
 * </pre>
 *
 * <p>An accepted event costs nothing to count: the count is the ring's cursor. What needs a clock
 * or a comparison is done by the drainer between batches. {@code jdk.jfr} and {@code
 * java.management} may be missing at run time, and at most one class of each is loaded before the
 * process uses it: {@link io.spillway.internal.metrics.AfterStart} checks for that.
 */
package io.spillway.internal.metrics;
