package io.spillway.stress.load;

import io.spillway.stress.report.LoadFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Looks at how full the queues and spills of a configuration are. For one thread, which is none of
 * the application's: AsyncAppender's queue takes its lock to tell its size.
 */
final class BufferWatch {

  private final List<Buffer> buffers;

  /** Of the buffers that are known. */
  BufferWatch(List<Buffer> buffers) {
    this.buffers = List.copyOf(buffers);
  }

  /** Takes one sample of each. */
  void sample(double atSeconds) {
    buffers.forEach(buffer -> buffer.samples.add(buffer.source.apply(atSeconds)));
  }

  /** All samples so far. */
  List<LoadFigures.Buffer> figures() {
    return buffers.stream().map(Buffer::figures).toList();
  }

  /** One queue, with the memory and the spill behind it if it has such. */
  static final class Buffer {
    private final String name;
    private final String type;
    private final long queueCapacity;
    private final Long memoryCapacityBytes;
    private final Long spillCapacityBytes;
    private final DoubleFunction<LoadFigures.Buffer.Sample> source;
    private final List<LoadFigures.Buffer.Sample> samples = new ArrayList<>();

    Buffer(
        String name,
        String type,
        long queueCapacity,
        Long memoryCapacityBytes,
        Long spillCapacityBytes,
        DoubleFunction<LoadFigures.Buffer.Sample> source) {
      this.name = name;
      this.type = type;
      this.queueCapacity = queueCapacity;
      this.memoryCapacityBytes = memoryCapacityBytes;
      this.spillCapacityBytes = spillCapacityBytes;
      this.source = source;
    }

    private LoadFigures.Buffer figures() {
      return new LoadFigures.Buffer(
          name, type, queueCapacity, memoryCapacityBytes, spillCapacityBytes, List.copyOf(samples));
    }
  }
}
