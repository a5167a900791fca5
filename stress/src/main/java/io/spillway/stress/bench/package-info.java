/**
 * Measurements outside trials: throughput compared with peers, the median log call, idle cost,
 * spill and replay. Each measurement runs in a forked JVM, in turn with the others, several times;
 * medians are reported. One class is one measurement: it starts JVMs and prints the result, and its
 * {@code Child} runs in the forked JVM. JMH, in {@code stress/jmh}, measures single stages within
 * one JVM; the measurements here need a whole JVM: its CPU time while idle, its rollovers, a
 * watcher beside it.
 */
package io.spillway.stress.bench;
