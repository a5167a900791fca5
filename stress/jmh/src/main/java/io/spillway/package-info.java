/** A benchmark, in this package because the publish path is not public. */
package io.spillway;
