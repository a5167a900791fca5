package io.spillway.stress.report;

import java.util.List;

/**
 * What the forked JVM reports of itself when it ends well.
 *
 * @param sentByThread log calls made by each application thread; the last entry is the warm-up
 *     thread's
 * @param threw log calls that threw
 * @param firstThrown the first exception thrown by a log call, or null
 * @param loadStartEpochNanos wall clock at which the load began
 * @param loadSeconds how long threads were sending
 * @param stopSeconds how long stopping the logging library took
 * @param cpuSeconds CPU time of the whole child process
 * @param allocation of application threads inside log calls, or null if the JVM does not tell
 * @param disk what all files took
 * @param rotation when the file rotated
 * @param latency log-call latency
 * @param seconds the same, second by second
 * @param buffers how full the queues and spills of the appenders were, second by second
 * @param statusProblems the logging library's own warnings and errors, the first of them
 */
public record LoadFigures(
    List<Long> sentByThread,
    long threw,
    String firstThrown,
    long loadStartEpochNanos,
    double loadSeconds,
    double stopSeconds,
    double cpuSeconds,
    AllocationFigures allocation,
    DiskFigures disk,
    RotationFigures rotation,
    LatencyFigures latency,
    List<SecondFigures> seconds,
    List<BufferFigures> buffers,
    List<String> statusProblems) {}
