/** The end of the pipeline: the nested appender, or the own log file. */
package io.spillway.internal.sink;
