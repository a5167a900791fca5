package io.spillway.rolling;

import io.spillway.compress.ArchiveSettings;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a policy stands on once its settings are checked.
 *
 * @param pattern names of archives
 * @param places where they lie
 * @param settings of compression
 * @param lock of the names
 * @param release gives the names back to other appenders
 */
record Site(
    ArchivePattern pattern,
    Places places,
    ArchiveSettings settings,
    ReentrantLock lock,
    Runnable release) {}
