/**
 * JMH benchmarks: Spillway beside its peers, as an application has them.
 *
 * <pre>
 *   events in the file a second, CPU, log calls    DeliveryBenchmark
 *   start                                          StartBenchmark
 *   stages: encoder, spill                         EncoderBenchmark, SpillBenchmark
 * </pre>
 *
 * <p>A shot has a separate logging context and a separate directory, and leaves no files. It fails,
 * and the command with it, if lines are missing in its file: a figure of an appender that loses
 * events compares with none.
 */
package io.spillway.jmh;
