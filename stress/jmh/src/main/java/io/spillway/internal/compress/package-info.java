/** A benchmark, in this package because the archive writer is not public. */
package io.spillway.internal.compress;
