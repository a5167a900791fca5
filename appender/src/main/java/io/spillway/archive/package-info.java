/**
 * What users may provide for archives: an {@link io.spillway.archive.ArchiveFormat}, found by
 * {@link java.util.ServiceLoader}, and an {@link io.spillway.archive.ArchiveListener}, which is
 * given each archive.
 */
package io.spillway.archive;
