/**
 * Figures that need no rotation: throughput beside the peers, the median log call, idle cost, spill
 * and replay. Each measurement runs in a JVM of its own, in turn, several times; medians are
 * reported. A class measures one thing: what it starts and prints, and, as its {@code Child}, what
 * runs in the JVM that it forks. JMH, in {@code stress/jmh}, measures single stages within one JVM;
 * what is here needs the whole of one: its CPU time while idle, its rollovers, a watcher beside it.
 */
package io.spillway.stress.bench;
