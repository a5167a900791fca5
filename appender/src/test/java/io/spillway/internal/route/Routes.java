package io.spillway.internal.route;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;

/** What the tests of this package share. */
final class Routes {
  private Routes() {}

  /** By a thread that nobody watches, and nobody waits for the write. */
  static boolean place(Route route, Batch batch) {
    return route.place(batch, route.anotherCodec(), EventCodec.Foreign.UNWATCHED, null, false);
  }
}
