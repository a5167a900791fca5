/**
 * JMH benchmarks: what a log call costs its caller, and what each stage behind it costs.
 *
 * <pre>
 *   caller, encoder --&gt; ring --&gt; file
 *                         `--&gt; codec --&gt; spill
 *
 *   a call at saturation           PublishBenchmark
 *   a call below saturation        BurstBenchmark
 *   encoder, codec, spill          EncoderBenchmark, EventCodecBenchmark, SpillBenchmark
 *   events in the file a second    DeliveryBenchmark
 * </pre>
 *
 * <p>Rules of the benchmarks: a trial has a separate logger context and a separate directory under
 * {@code target}, and leaves no files. A benchmark that can lose or spill events reports how many,
 * as a counter beside its score; a trial of an appender that must not lose events fails if lines
 * are missing in its file. Queued events are processed between iterations, so that an iteration
 * does not include work of the previous one.
 */
package io.spillway.jmh;
