package io.spillway.stress.verify;

/**
 * Tells what a line is whatever the layout around the message: an event is known by its message
 * alone. So it sees less than {@link LineParser}: a date or a logger that is damaged passes, and
 * what is left of a line without the beginning of its message is foreign, though the event is lost.
 */
final class AnyLayoutParser implements LineReader {
  private static final byte[] PREFILL = Bytes.ascii("[prefill] INFO  ");

  private final EventText event = new EventText();

  @Override
  public Kind parse(byte[] bytes, int from, int to) {
    int start = EventText.startOf(bytes, from, to);
    if (start < 0) {
      return Bytes.find(bytes, from, to, PREFILL) < 0 ? Kind.FOREIGN : Kind.PREFILL;
    }
    int end = EventText.endOf(bytes, start, to);
    boolean whole = end >= 0 && event.parse(bytes, start, end);
    boolean alone = whole && EventText.startOf(bytes, end, to) < 0;
    return alone ? Kind.EVENT : Kind.TORN;
  }

  @Override
  public int thread() {
    return event.thread();
  }

  @Override
  public long sequence() {
    return event.sequence();
  }
}
