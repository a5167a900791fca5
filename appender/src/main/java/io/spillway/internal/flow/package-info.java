/**
 * From the log call to the sink: in flight, then spill, then ring.
 *
 * <pre>
 * app threads --publish--&gt; ring ----------------------&gt; [deliverer] --&gt; sink
 *                           |                               ^
 *                           `--&gt; [spiller] --&gt; segments ----'     only while the sink stalls
 * </pre>
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
