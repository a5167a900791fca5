/**
 * The end of the pipeline: a nested appender, or the own log file, which waits and retries where
 * Logback would drop events. Called by the deliverer, and after the exit hook by log calls, one at
 * a time. A thread of the spill forces the log file.
 */
package io.spillway.internal.sink;
