package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.slf4j.Logger;

/**
 * The lines of a trial. With the pattern {@code %d [%t] %-5p %c{20} - %m%n} an event reads
 *
 * <pre>
 *   2026-01-31 12:00:00,000 [app-007] INFO  shop.OrderService - event 7 42 order 1234 ... #9ae0daaf
 * </pre>
 *
 * and carries its thread, its sequence number within the thread, and a CRC32C of its message, so
 * that a reader can tell from the bytes alone whether a line is whole and which event it is.
 */
public final class LogLine {

  /** Name of the logger that the load uses. */
  public static final String LOGGER = "shop.OrderService";

  /** The SLF4J format of an event: thread, sequence number, text, checksum. */
  public static final String EVENT_FORMAT = "event {} {} {} #{}";

  /** Message of the throwables that some events carry. */
  public static final String THROWN = "order declined";

  private static final int TYPICAL_LINE_BYTES = 138;
  private static final int TYPICAL_TEXT_BYTES = 53;

  private static final String[] ACTIONS = {
    "accepted for delivery by carrier north",
    "paid by card, risk score within limits",
    "reserved in warehouse seven, shelf four",
    "rejected: customer limit for today used",
    "queued for the evening push to customers",
    "shipped, tracking number handed to portal",
    "returned unopened, refund is on its way",
    "priced again after a change of currency",
  };

  private LogLine() {}

  /** Returns the text of an event, with words like those of other events as long as wanted. */
  public static String text(int thread, long sequence, int bytes) {
    String text = text(thread, sequence);
    if (text.length() >= bytes) {
      return text;
    }
    StringBuilder longer = new StringBuilder(bytes).append(text);
    for (long next = sequence; longer.length() < bytes; next++) {
      longer.append(", ").append(action((int) (mix(next) >>> 8)));
    }
    longer.setLength(bytes);
    return longer.toString();
  }

  /** Returns the formatted message of an event. */
  public static String event(int thread, long sequence, String text, String checksum) {
    return message(thread, sequence, text) + " #" + checksum;
  }

  private static String message(int thread, long sequence, String text) {
    return "event " + thread + " " + sequence + " " + text;
  }

  /** Logs an event, formatted by the caller or by the logging library. */
  public static void log(Logger logger, int thread, long sequence, int bytes, boolean formatted) {
    String text = text(thread, sequence, bytes);
    String checksum = checksum(thread, sequence, text);
    if (formatted) {
      logger.info(event(thread, sequence, text, checksum));
    } else {
      logger.info(EVENT_FORMAT, thread, sequence, text, checksum);
    }
  }

  /** Returns about how long a line is, by the wanted length of its text. */
  public static int typicalBytes(int textBytes) {
    return TYPICAL_LINE_BYTES + Math.max(0, textBytes - TYPICAL_TEXT_BYTES);
  }

  /** Returns the text of an event; equal for equal thread and sequence number. */
  static String text(int thread, long sequence) {
    long mixed = mix(((long) thread << 40) ^ sequence);
    return "order " + (100_000 + (mixed >>> 12) % 900_000) + " " + action((int) (mixed >>> 8));
  }

  /** Returns the checksum at the end of an event, a CRC32C as eight hexadecimal digits. */
  public static String checksum(int thread, long sequence, String text) {
    CRC32C crc = new CRC32C();
    byte[] bytes = message(thread, sequence, text).getBytes(StandardCharsets.US_ASCII);
    crc.update(bytes, 0, bytes.length);
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  static String action(int number) {
    return ACTIONS[number & 7];
  }

  /** Spreads the bits of a number (the finaliser of SplitMix64). */
  static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
