package io.spillway.rolling;

import io.spillway.compress.RolledFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;

/** A policy's files, as the compressor sees them. */
final class Rolled implements RolledFiles {
  private final ArchivingPolicy policy;
  private final StagingCleaner cleaner;

  Rolled(ArchivingPolicy policy) {
    this.policy = policy;
    this.cleaner = new StagingCleaner(policy.places(), policy.moves, policy.lock());
  }

  @Override
  public Lock lock() {
    return policy.lock();
  }

  @Override
  public Path next(Predicate<Path> ready) throws IOException {
    return policy.next(raw -> !isActive(raw) && ready.test(raw));
  }

  @Override
  public boolean isActive(Path raw) {
    return raw.equals(active());
  }

  @Override
  public String entryName(Path raw, FileTime modified) {
    return policy.entryName(raw, modified.toInstant());
  }

  @Override
  public Path moveAside(Path raw) throws IOException {
    String free = policy.freeNames().next(policy.places().stemOf(raw));
    Path target = policy.places().raw(free);
    policy.moves.move(raw, target);
    policy.backlog().add(target);
    return target;
  }

  @Override
  public Path suspect() {
    return policy.suspect();
  }

  @Override
  public Path suspectSource() {
    return policy.suspectSource();
  }

  @Override
  public void swept() {
    policy.backlog().listAgain();
  }

  @Override
  public Path active() {
    return policy.activePath();
  }

  @Override
  public Path upcoming() {
    return policy.places().archive(policy.upcomingStem());
  }

  @Override
  public void settled() throws IOException {
    policy.settled();
    cleaner.clean();
  }
}
