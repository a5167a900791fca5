/** A benchmark, in this package because the consumer's side of the ring is not public. */
package io.spillway.internal.ring;
