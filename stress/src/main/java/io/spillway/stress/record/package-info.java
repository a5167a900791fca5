/** Latency histograms, the flight recording, and what it says of waiting threads. */
package io.spillway.stress.record;
