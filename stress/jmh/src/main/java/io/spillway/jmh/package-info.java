/**
 * JMH benchmarks: what a log call costs its caller, and what each stage behind it costs.
 *
 * <pre>
 *   caller --&gt; ring --&gt; encoder --&gt; file
 *                `--&gt; codec --&gt; spill
 *
 *   a call at saturation           PublishBenchmark
 *   a call below saturation        BurstBenchmark
 *   a call while the sink stalls   SpillingBenchmark
 *   what metrics add to a call     io.spillway.MetricsBenchmark
 *   ring                           io.spillway.internal.ring.RingBenchmark
 *   encoder, codec, spill          EncoderBenchmark, EventCodecBenchmark, SpillBenchmark
 *   rolled file to archive         io.spillway.internal.compress.GzipBenchmark
 * </pre>
 *
 * <p>Rules of the benchmarks: a trial has a separate logger context and a separate directory under
 * {@code target}, and leaves no files. A benchmark that can lose or spill events reports how many,
 * as a counter beside its score; a trial of an appender that must not lose events fails if lines
 * are missing in its file. Queued events are processed between iterations, so that an iteration
 * does not include work of the previous one.
 *
 * <p>Some classes of Spillway are not public. Their benchmarks, and only those, live in packages of
 * the same names: {@code io.spillway}, {@code io.spillway.internal.ring} and {@code
 * io.spillway.internal.compress}.
 */
package io.spillway.jmh;
