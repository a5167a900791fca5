/** A benchmark of the publish path, in the path's package because its classes are not public. */
package io.spillway;
