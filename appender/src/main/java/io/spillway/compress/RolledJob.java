package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;

/** Makes the archive of one rolled file. */
final class RolledJob implements Job {
  private final Parts parts;
  private final Publisher publisher;
  private final OpenFile raw;
  private final Began began = Began.now();
  private Path part;
  private ArchiveWriter writer;
  private boolean published;

  /** Opens nothing but what is handed in; the part is created by the first step. */
  RolledJob(Parts parts, Publisher publisher, OpenFile raw) {
    this.parts = parts;
    this.publisher = publisher;
    this.raw = raw;
  }

  @Override
  public TrackedPath path() {
    return raw.path();
  }

  @Override
  public boolean step(byte[] chunk) throws IOException {
    if (raw.path().isDropped()) {
      return false;
    }
    if (writer == null) {
      Path name = raw.path().now();
      part = parts.names().part(parts.names().archiveOf(name));
      parts.writing().add(part);
      writer =
          new ArchiveWriter(
              parts.files(),
              part,
              parts.rolled().entryName(name, raw.opened().modified()),
              parts.settings());
    }
    if (writer.step(raw.in(), chunk, raw.opened().bytes())) {
      return true;
    }
    published = publisher.publish(raw, writer, raw.opened(), began);
    if (!published) {
      parts.backlog().putOff(raw.path().now());
    }
    return false;
  }

  @Override
  public void close() {
    Closing.release(parts, raw);
    Closing.end(parts, writer, part, published);
  }
}
