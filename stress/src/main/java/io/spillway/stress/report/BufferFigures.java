package io.spillway.stress.report;

import java.util.List;

/**
 * How full one appender's buffers were in the course of the load. What an appender does not have is
 * null.
 *
 * @param appender its name in the configuration
 * @param type its class
 * @param queueCapacity events that its queue or ring holds
 * @param memoryCapacityBytes heap that its memory buffer may take
 * @param spillCapacityBytes disk that its spill may take
 * @param samples one at the start of the load, and one a second
 */
public record BufferFigures(
    String appender,
    String type,
    long queueCapacity,
    Long memoryCapacityBytes,
    Long spillCapacityBytes,
    List<Sample> samples) {

  /**
   * What the buffers held at one moment.
   *
   * @param atSeconds since the load began
   * @param queuedEvents in the queue or ring
   * @param memoryBytes in the memory buffer
   * @param spillBytes on disk
   * @param archiveBacklogFiles rolled files that waited for compression, the one under way included
   */
  public record Sample(
      double atSeconds,
      long queuedEvents,
      Long memoryBytes,
      Long spillBytes,
      Long archiveBacklogFiles) {}
}
