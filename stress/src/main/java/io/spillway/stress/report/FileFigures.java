package io.spillway.stress.report;

/**
 * One file that a trial left behind.
 *
 * @param name path relative to the log directory
 * @param bytes length on disk
 * @param read whether its lines were read back and counted
 * @param error why it could not be read to its end, or null
 */
public record FileFigures(String name, long bytes, boolean read, String error) {}
