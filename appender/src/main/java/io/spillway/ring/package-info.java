/**
 * The publish side: the ring that application threads write to, and the drainer that empties it
 * into batches. Nothing that an application thread calls here takes a lock, parks or does I/O.
 */
package io.spillway.ring;
