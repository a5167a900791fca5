package io.spillway.stress.load;

import io.spillway.stress.report.LoadFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;

/**
 * Samples how full the queues and spills of a configuration are. Used by one thread that is not an
 * application thread, because the size of AsyncAppender's queue is read under the queue's lock.
 */
final class BufferWatch {

  private final List<Buffer> buffers;

  /** Creates a watch of the given buffers. */
  BufferWatch(List<Buffer> buffers) {
    this.buffers = List.copyOf(buffers);
  }

  /** Takes one sample of each buffer. */
  void sample(double atSeconds) {
    buffers.forEach(buffer -> buffer.samples.add(buffer.source.apply(atSeconds)));
  }

  /** Returns all samples so far. */
  List<LoadFigures.Buffer> figures() {
    return buffers.stream().map(Buffer::figures).toList();
  }

  /** One queue, with the spill behind it, if any. */
  static final class Buffer {

    private final LoadFigures.Buffer about;
    private final DoubleFunction<LoadFigures.Buffer.Sample> source;
    private final List<LoadFigures.Buffer.Sample> samples = new ArrayList<>();

    /**
     * Creates a buffer.
     *
     * @param about its name, type and capacities, without samples
     * @param source takes a sample at a time
     */
    Buffer(LoadFigures.Buffer about, DoubleFunction<LoadFigures.Buffer.Sample> source) {
      this.about = about;
      this.source = source;
    }

    /** Returns a buffer that is a queue alone. */
    static Buffer queue(String name, Class<?> type, long capacity, LongSupplier queued) {
      return new Buffer(
          new LoadFigures.Buffer(name, type.getName(), capacity, null, List.of()),
          at -> new LoadFigures.Buffer.Sample(at, queued.getAsLong(), null, null));
    }

    private LoadFigures.Buffer figures() {
      return new LoadFigures.Buffer(
          about.appender(),
          about.type(),
          about.queueCapacity(),
          about.spillCapacityBytes(),
          List.copyOf(samples));
    }
  }
}
