package io.spillway.stress.report;

/**
 * Identity of a stream of prefilled lines.
 *
 * @param lines how many
 * @param bytes their length, line ends included
 * @param crc32c checksum over all of them, in reading order
 */
public record PrefillFigures(long lines, long bytes, long crc32c) {}
