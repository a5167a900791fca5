/**
 * Extension points for archives: an {@link io.spillway.archive.ArchiveFormat}, loaded by {@link
 * java.util.ServiceLoader}, and an {@link io.spillway.archive.ArchiveListener}, which receives each
 * archive.
 */
package io.spillway.archive;
