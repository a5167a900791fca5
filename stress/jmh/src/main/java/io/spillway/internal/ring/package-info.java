/** A benchmark of the ring, in the ring's package because its consumer's side is not public. */
package io.spillway.internal.ring;
