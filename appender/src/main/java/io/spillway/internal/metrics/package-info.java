/**
 * What happens to events is counted, and what is notable is reported.
 *
 * <pre>
 *   log calls --drops, waits--&gt; Counters &lt;--all else-- deliverer, spiller
 *   the workers, the compressor --&gt; FlightEvents --&gt; flight recording (jdk.jfr)
 *   all --&gt; Reports --status thread--&gt; Logback's status messages
 *   a start, a stop --&gt; Registration --&gt; MBean server, meters
 * </pre>
 *
 * <p>{@code jdk.jfr} and {@code java.management} may be missing at run time, and at most one class
 * of each is loaded before the process uses it.
 */
package io.spillway.internal.metrics;
