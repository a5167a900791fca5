/**
 * The publish side: the ring that application threads write to, and the drainer that empties the
 * ring into batches. No method that an application thread calls here takes a lock, parks or does
 * I/O.
 *
 * <p>Within traffic the drainer polls, so publishers never signal it. After two milliseconds
 * without events the drainer sleeps, and the next publisher unparks it. Polling without end would
 * be simpler, but costs four times the processor time when idle, and lets a lone event wait twice
 * as long ({@code spillway-stress bench idle}).
 */
package io.spillway.internal.ring;
