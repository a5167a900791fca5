package io.spillway.internal.route;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;

/**
 * What all parts of one appender's pipeline share. It is also their identity: log calls on threads
 * of the same context are re-entrant.
 *
 * @param name of the appender
 * @param counters told of every event, and of failures
 * @param reports told of failures
 */
public record PipelineContext(String name, Counters counters, Reports reports) {}
