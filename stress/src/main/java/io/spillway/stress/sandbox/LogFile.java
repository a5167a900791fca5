package io.spillway.stress.sandbox;

/**
 * A file that a configuration writes.
 *
 * @param appender its name
 * @param type class of the appender
 * @param file the active file, in the sandbox
 * @param named whether the active file has a name of its own, rather than that of an archive to be
 * @param fileNamePattern of the archives, in the sandbox; null without a rolling policy
 * @param trigger what makes it roll over
 * @param maxFileSizeBytes at which it does; 0 unless {@code trigger} is {@code SIZE}
 */
public record LogFile(
    String appender,
    String type,
    String file,
    boolean named,
    String fileNamePattern,
    Trigger trigger,
    long maxFileSizeBytes) {}
