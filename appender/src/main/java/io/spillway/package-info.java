/**
 * Logback appenders whose log calls do not wait for the log file.
 *
 * <p>Name {@link io.spillway.SpillwayAppender} or {@link io.spillway.SpillwayRollingFileAppender}
 * in {@code logback.xml}; {@link io.spillway.SpillwaySettings} describes their settings. Each
 * appender has one pipeline with two threads, the drainer and the deliverer:
 *
 * <pre>
 * app threads --tryPublish--&gt; ring --&gt; [drainer] --batch--&gt; memory hand-off --&gt; [deliverer] --&gt; sink
 *             (memory only)                \                                      ^
 *                                           `--batch--&gt; spill segments on disk ---'
 * </pre>
 *
 * <p>An event is <em>accepted</em> (in the ring or memory), <em>spilled</em> (a write returned: it
 * survives a killed process), <em>synced</em> (an fsync returned: it survives a power cut), and
 * <em>delivered</em> (the sink took it). At all times accepted = delivered + pending + lost, and
 * losses are counted by cause.
 *
 * <p>Memory is bounded by the ring ({@code queueSize} events), {@code memoryBuffer}, and one batch
 * of each of the two threads (512 events, or 512 KB of events, or one event if that is larger).
 * With {@code whenFullKeepLevel}, the drainer also holds events of the kept levels outside the
 * ring: up to one and a half times as many as the ring has slots.
 *
 * <p>Packages, each of which uses only those after it: {@code ring} (publish side, drainer), {@code
 * route} (memory or spill, deliverer), {@code spill}, {@code codec} (event to bytes), {@code sink},
 * {@code rolling} (policies), {@code compress} (rolled files to archives, in the background),
 * {@code archive} (formats and listeners of archives), {@code disk} (file systems, owners), {@code
 * metrics}.
 */
package io.spillway;
