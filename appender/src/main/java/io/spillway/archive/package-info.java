/**
 * Formats of archives. A jar that provides an {@link io.spillway.archive.ArchiveFormat} to {@link
 * java.util.ServiceLoader} adds one.
 */
package io.spillway.archive;
