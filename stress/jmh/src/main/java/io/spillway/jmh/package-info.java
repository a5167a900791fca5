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
 * <p>Rules they keep. A trial has a logger context and a directory under {@code target} of its own,
 * and leaves nothing. Whatever can lose or spill events says how many, as a counter beside its
 * score, and a trial of what must not lose any fails if lines are missing in its file. Events that
 * queue up are dealt with between iterations, so that none pays for the one before.
 *
 * <p>Some classes of Spillway are not public, and stay so. Their benchmarks, and only those, live
 * in packages of the same names: {@code io.spillway}, {@code io.spillway.internal.ring} and {@code
 * io.spillway.internal.compress}.
 */
package io.spillway.jmh;
