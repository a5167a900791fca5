/**
 * Logback appenders whose log calls do not wait for the log file.
 *
 * <p>Name {@link io.spillway.SpillwayAppender} or {@link io.spillway.SpillwayRollingFileAppender}
 * in {@code logback.xml}; {@link io.spillway.SpillwaySettings} describes their settings.
 *
 * <pre>
 * app threads --publish--&gt; ring ----------------------&gt; [deliverer] --&gt; sink
 *             (memory only) |                               ^
 *                           `--&gt; [spiller] --&gt; segments ----'     only while the sink stalls
 * </pre>
 *
 * <p>An event is <em>accepted</em> (in the ring), <em>spilled</em> (a write returned: it survives a
 * killed process), <em>synced</em> (an fsync returned: it survives a power cut), and
 * <em>delivered</em> (the sink took it). At all times accepted = delivered + pending + lost, and
 * losses are counted by cause.
 *
 * <p>Memory is bounded by the ring ({@code queueSize} events; those above 1 KB together by an
 * eighth of the heap, 64 MB at most) and two batches (512 events or 64 KB each).
 *
 * <p>Packages, each of which uses only those after it: {@code flow} (ring, order, threads), {@code
 * sink} (nested appender, log file) and {@code spill}, {@code codec} (events to bytes), {@code
 * disk} (files, owners), {@code metrics}; beside them {@code rolling} (policies), {@code compress}
 * and {@code archive}.
 */
package io.spillway;
