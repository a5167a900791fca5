package io.spillway.compress;

import io.spillway.metrics.Reports;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What the classes of one archiver share.
 *
 * @param files the disk
 * @param rolled the policy's side
 * @param names what names mean
 * @param settings of the policy
 * @param reports told of failures
 * @param tally counts
 * @param backlog what waits
 * @param tracked what is open
 * @param rubbish takes files that the worker is to delete
 * @param writing archives that are being written now
 * @param stopped whether the archiver is; under the lock it decides
 */
record Parts(
    ArchiveFiles files,
    RolledFiles rolled,
    ArchiveNames names,
    ArchiveSettings settings,
    Reports reports,
    Tally tally,
    Backlog backlog,
    TrackedPaths tracked,
    Consumer<Path> rubbish,
    Set<Path> writing,
    BooleanSupplier stopped) {

  boolean isStopped() {
    return stopped.getAsBoolean();
  }
}
