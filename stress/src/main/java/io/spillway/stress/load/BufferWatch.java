package io.spillway.stress.load;

import io.spillway.stress.report.LoadFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;

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

    private final LoadFigures.Buffer about;
    private final DoubleFunction<LoadFigures.Buffer.Sample> source;
    private final List<LoadFigures.Buffer.Sample> samples = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param about what is known of it, without samples
     * @param source takes one at a moment
     */
    Buffer(LoadFigures.Buffer about, DoubleFunction<LoadFigures.Buffer.Sample> source) {
      this.about = about;
      this.source = source;
    }

    /** A queue with nothing behind it. */
    static Buffer queue(String name, Class<?> type, long capacity, LongSupplier queued) {
      return new Buffer(
          new LoadFigures.Buffer(name, type.getName(), capacity, null, null, List.of()),
          at -> new LoadFigures.Buffer.Sample(at, queued.getAsLong(), null, null, null));
    }

    private LoadFigures.Buffer figures() {
      return new LoadFigures.Buffer(
          about.appender(),
          about.type(),
          about.queueCapacity(),
          about.memoryCapacityBytes(),
          about.spillCapacityBytes(),
          List.copyOf(samples));
    }
  }
}
