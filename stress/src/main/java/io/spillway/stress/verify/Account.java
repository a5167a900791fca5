package io.spillway.stress.verify;

import io.spillway.stress.report.ReadBackFigures;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;

/**
 * Keeps account of the events read, in reading order, against those sent. An event read a second
 * time is a duplicate, wherever it stands; an event read for the first time after a later one of
 * its thread is out of order. A torn line is counted as such, and its event as lost.
 */
final class Account {

  private static final int SHOWN = 160;

  private final long[] sentByThread;
  private final BitSet[] seen;
  private final long[] highest;
  private long delivered;
  private long duplicated;
  private long outOfOrder;
  private long unknown;
  private long torn;
  private String firstTorn;

  Account(List<Long> sentByThread) {
    this.sentByThread = sentByThread.stream().mapToLong(Long::longValue).toArray();
    seen = new BitSet[this.sentByThread.length];
    highest = new long[seen.length];
    for (int i = 0; i < seen.length; i++) {
      seen[i] = new BitSet();
      highest[i] = -1;
    }
  }

  void event(int thread, long sequence) {
    if (thread >= seen.length || sequence >= sentByThread[thread]) {
      unknown++;
      return;
    }
    int bit = Math.toIntExact(sequence);
    if (seen[thread].get(bit)) {
      duplicated++;
      return;
    }
    seen[thread].set(bit);
    delivered++;
    if (sequence < highest[thread]) {
      outOfOrder++;
    } else {
      highest[thread] = sequence;
    }
  }

  void torn(byte[] bytes, int from, int to) {
    torn++;
    if (firstTorn == null) {
      int length = Math.min(SHOWN, to - from);
      firstTorn = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }
  }

  ReadBackFigures.Conservation conservation() {
    long sent = 0;
    for (long count : sentByThread) {
      sent += count;
    }
    long lost = sent - delivered;
    return new ReadBackFigures.Conservation(
        sent, delivered, lost, duplicated, outOfOrder, torn, unknown, firstTorn);
  }
}
