package io.spillway.compress;

import java.time.Duration;

/**
 * How one policy's files are archived; checked by the policy.
 *
 * @param format by suffix
 * @param level as the format takes it
 * @param cpuShare of one core that archiving may take, above 0, at most 1
 * @param maxRandomDelay each file's compression is put off by a random part of this
 */
public record ArchiveSettings(
    ArchiveFormat format, int level, double cpuShare, Duration maxRandomDelay) {}
