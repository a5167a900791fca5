package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The lines of a trial. With the pattern {@code %d [%t] %-5p %c{20} - %m%n} an event reads
 *
 * <pre>
 *   2026-01-31 12:00:00,000 [app-007] INFO  shop.OrderService - event 7 42 order 1234 ... #9ae0daaf
 * </pre>
 *
 * and carries its thread, its sequence number within the thread, and a CRC32C of its message, so
 * that a line can be told to be whole, and whose it is, from its bytes alone.
 */
public final class LogLine {

  /** Name of the logger that the load uses. */
  public static final String LOGGER = "shop.OrderService";

  /** The SLF4J format of an event: thread, sequence number, text, checksum. */
  public static final String EVENT_FORMAT = "event {} {} {} #{}";

  /** Length of a line, roughly; good enough to plan when a file will be full. */
  public static final int TYPICAL_BYTES = 138;

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

  /** The text of an event; the same for the same thread and sequence number. */
  public static String text(int thread, long sequence) {
    long mixed = mix(((long) thread << 40) ^ sequence);
    String action = ACTIONS[(int) (mixed >>> 8) & 7];
    return "order " + (100_000 + (mixed >>> 12) % 900_000) + " " + action;
  }

  /** The checksum that an event carries at its end, as eight hexadecimal digits. */
  public static String checksum(int thread, long sequence, String text) {
    CRC32C crc = new CRC32C();
    String message = "event " + thread + " " + sequence + " " + text;
    byte[] bytes = message.getBytes(StandardCharsets.US_ASCII);
    crc.update(bytes, 0, bytes.length);
    String hex = Long.toHexString(crc.getValue());
    return "00000000".substring(hex.length()) + hex;
  }

  /** One of the texts that events use, for prefilled lines. */
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
