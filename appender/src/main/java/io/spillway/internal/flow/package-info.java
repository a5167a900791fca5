/**
 * From the log call to the sink: in flight, then spill, then ring. The package {@code io.spillway}
 * has the picture.
 *
 * <p>{@link io.spillway.internal.flow.Order} has every rule of ordering, under one lock; {@link
 * io.spillway.internal.flow.Pipeline} starts, stops and ends with the JVM. The deliverer works in
 * fair weather alone: one thread wakes for an event. The spiller is parked until the sink keeps a
 * batch for more than 10 ms while the ring is three quarters full, or for more than a second, or a
 * caller waits to be acknowledged.
 *
 * <p>A thread that logs faster than the sink takes events, while no batch stalls, waits for room: a
 * spill would cost more than it saves.
 */
package io.spillway.internal.flow;
