/**
 * The publish side: the ring that application threads write to, and the drainer that empties it
 * into batches. Nothing that an application thread calls here takes a lock, parks or does I/O.
 *
 * <p>Within traffic the drainer polls, so publishers never signal it. After two milliseconds
 * without events it sleeps, and the next publisher unparks it. Polling for ever would be simpler,
 * but costs four times the processor time when idle, and lets a lone event wait twice as long
 * ({@code spillway-stress bench idle}).
 */
package io.spillway.internal.ring;
