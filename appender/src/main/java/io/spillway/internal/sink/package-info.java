/**
 * The end of the pipeline: a nested appender, or our own log file that waits and retries where
 * Logback would drop. One thread, the deliverer, works here.
 */
package io.spillway.internal.sink;
