/** A benchmark of the compressor's job, in the job's package because it is not public. */
package io.spillway.internal.compress;
