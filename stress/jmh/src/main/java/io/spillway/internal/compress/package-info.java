/** A benchmark of the archive writer, in the writer's package because it is not public. */
package io.spillway.internal.compress;
