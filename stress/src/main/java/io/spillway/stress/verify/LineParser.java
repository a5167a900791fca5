package io.spillway.stress.verify;

/**
 * Tells what a line is. Anything that is not wholly what it should be is torn: the date and the
 * logger are checked as well as the message, so that two lines run together, or the head of one
 * before the tail of another, cannot pass.
 */
final class LineParser implements LineReader {

  private static final byte[] DATE_SHAPE = Bytes.ascii("0000-00-00 00:00:00,000 [");
  private static final byte[] PREFILL =
      Bytes.ascii("prefill] INFO  " + LogLine.LOGGER + " - prefill ");
  private static final byte[] BEFORE_MESSAGE = Bytes.ascii("] INFO  " + LogLine.LOGGER + " - ");
  private static final int LONGEST_THREAD_NAME = 64;

  private final EventText event = new EventText();

  @Override
  public Kind parse(byte[] bytes, int from, int to) {
    if (!startsWithDate(bytes, from, to)) {
      return Kind.TORN;
    }
    int name = from + DATE_SHAPE.length;
    if (Bytes.startWith(bytes, name, to, PREFILL)) {
      return Kind.PREFILL;
    }
    int bracket = name;
    while (bracket < to && bytes[bracket] != ']' && bracket - name < LONGEST_THREAD_NAME) {
      bracket++;
    }
    if (!Bytes.startWith(bytes, bracket, to, BEFORE_MESSAGE)) {
      return Kind.TORN;
    }
    return event.parse(bytes, bracket + BEFORE_MESSAGE.length, to) ? Kind.EVENT : Kind.TORN;
  }

  @Override
  public int thread() {
    return event.thread();
  }

  @Override
  public long sequence() {
    return event.sequence();
  }

  private static boolean startsWithDate(byte[] bytes, int from, int to) {
    if (to - from < DATE_SHAPE.length) {
      return false;
    }
    for (int i = 0; i < DATE_SHAPE.length; i++) {
      byte expected = DATE_SHAPE[i];
      byte found = bytes[from + i];
      boolean digit = found >= '0' && found <= '9';
      if (expected == '0' ? !digit : found != expected) {
        return false;
      }
    }
    return true;
  }
}
