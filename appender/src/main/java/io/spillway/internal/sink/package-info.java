/**
 * The end of the pipeline: a nested appender, or our own log file that waits and retries where
 * Logback would drop. The deliverer works here; after the exit hook, log calls, one at a time. A
 * thread of the spill forces the log file.
 */
package io.spillway.internal.sink;
