package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads what {@link ContextWriter} wrote. */
final class ContextReader {
  private final Input in;
  private final NameReader names;
  private final List<LoggerContextVO> contexts = new ArrayList<>(2);

  ContextReader(Input in, NameReader names) {
    this.in = in;
    this.names = names;
  }

  LoggerContextVO read() throws CodecException {
    int tag = in.varint();
    switch (tag) {
      case Format.NULL:
        return null;
      case Format.LITERAL:
        return body();
      case Format.DEFINITION:
        if (contexts.size() == Format.MAX_CONTEXTS) {
          throw new CodecException("more than " + Format.MAX_CONTEXTS + " logger contexts");
        }
        LoggerContextVO context = body();
        contexts.add(context);
        return context;
      default:
        int number = tag - Format.FIRST_REFERENCE;
        if (number >= contexts.size()) {
          throw new CodecException("logger context " + number + " of " + contexts.size());
        }
        return contexts.get(number);
    }
  }

  private LoggerContextVO body() throws CodecException {
    String name = in.string();
    long birthTime = in.zigzag();
    int hasProperties = in.u8();
    if (hasProperties > 1) {
      throw new CodecException("logger context flag " + hasProperties);
    }
    Map<String, String> properties = hasProperties == 1 ? MapCodec.read(in, names) : null;
    return new LoggerContextVO(name, properties, birthTime);
  }
}
