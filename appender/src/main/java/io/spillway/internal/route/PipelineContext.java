package io.spillway.internal.route;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;

/**
 * What all parts of one appender's pipeline share. It is also the identity of the pipeline: log
 * calls on threads of the same context are re-entrant.
 *
 * @param name name of the appender
 * @param counters count every event, and failures
 * @param reports report failures
 */
public record PipelineContext(String name, Counters counters, Reports reports) {}
