/** Latency histograms, the flight recording, and the waits of threads that it contains. */
package io.spillway.stress.record;
