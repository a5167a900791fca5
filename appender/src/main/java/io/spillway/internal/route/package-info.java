/**
 * The way of batches from drainer to sink: the bounded memory hand-off, the decision between memory
 * and spill, the deliverer, and what happens to waiting events at a forced stop. {@link
 * io.spillway.internal.route.Route} states the rules that keep events in order.
 */
package io.spillway.internal.route;
