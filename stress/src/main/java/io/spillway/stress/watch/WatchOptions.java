package io.spillway.stress.watch;

import java.nio.file.Path;

/**
 * What to watch.
 *
 * @param pid the process
 * @param seconds for how long
 * @param out the directory that gets one directory a watch
 */
public record WatchOptions(long pid, int seconds, Path out) {}
