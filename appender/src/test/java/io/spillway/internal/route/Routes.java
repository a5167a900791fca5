package io.spillway.internal.route;

import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;

/** What the tests of this package share. */
final class Routes {
  static final DropPolicy NO_DROPS = new DropPolicy(false, false, Tally.LEVELS, 0);

  private Routes() {}

  /** By a thread that nobody watches, and nobody waits for the write. */
  static boolean place(Route route, Batch batch) {
    return route.place(batch, route.anotherCodec(), EventCodec.Foreign.UNWATCHED, null, false);
  }
}
