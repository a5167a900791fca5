/**
 * How the figures of {@link io.spillway.metrics} come about, and how events of interest are told.
 *
 * <pre>
 *   publishers --drops, waits-------------------&gt; Counters &lt;--all else-- drainer, deliverer, spill
 *                                                    |
 *   drainer --Pulse--&gt; PendingAge -------------------+--&gt; LiveReading --&gt; io.spillway.metrics
 *   drainer, deliverer, compressor --&gt; FlightLog --&gt; flight recording (jdk.jfr)
 *   all but log calls that succeed --&gt; Reports --&gt; Logback's status messages
 * </pre>
 *
 * <p>An accepted event costs nothing to count: its number is the ring's cursor. What needs a clock
 * or a comparison is done by the drainer between batches. {@code jdk.jfr} and {@code
 * java.management} may be missing at run time, and nothing of them is loaded before somebody uses
 * them: {@link io.spillway.internal.metrics.AfterStart} finds that out.
 */
package io.spillway.internal.metrics;
