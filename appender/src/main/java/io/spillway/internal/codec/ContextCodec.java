package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Logger contexts: each once in a run. */
final class ContextCodec {
  static final int MAX_CONTEXTS = 64;

  private ContextCodec() {}

  /** Writes each logger context of a run once; events refer to it by number. */
  static final class Writer {
    private final Output out;
    private final NameCodec.Writer names;
    private final List<LoggerContextVO> contexts = new ArrayList<>();

    Writer(Output out, NameCodec.Writer names) {
      this.out = out;
      this.names = names;
    }

    int count() {
      return contexts.size();
    }

    void rollBack(int newCount) {
      while (contexts.size() > newCount) {
        contexts.remove(contexts.size() - 1);
      }
    }

    void write(LoggerContextVO context) {
      if (context == null) {
        out.varint(NameCodec.NULL);
        return;
      }
      int number = find(context);
      if (number >= 0) {
        out.varint(NameCodec.FIRST_REFERENCE + number);
        return;
      }
      boolean define = contexts.size() < MAX_CONTEXTS;
      out.varint(define ? NameCodec.DEFINITION : NameCodec.LITERAL);
      out.string(context.getName());
      out.zigzag(context.getBirthTime());
      Map<String, String> properties = context.getPropertyMap();
      out.u8(properties == null ? 0 : 1);
      if (properties != null) {
        names.writeMap(properties);
      }
      if (define) {
        contexts.add(context);
      }
    }

    private int find(LoggerContextVO context) {
      for (int i = 0; i < contexts.size(); i++) {
        if (contexts.get(i) == context) {
          return i;
        }
      }
      for (int i = 0; i < contexts.size(); i++) {
        if (same(contexts.get(i), context)) {
          return i;
        }
      }
      return -1;
    }

    // Events that came over a socket may each bring a copy. Layouts print the properties in order,
    // so
    // that the order is part of the value.
    private static boolean same(LoggerContextVO a, LoggerContextVO b) {
      Map<String, String> first = a.getPropertyMap();
      Map<String, String> second = b.getPropertyMap();
      return a.getBirthTime() == b.getBirthTime()
          && Objects.equals(a.getName(), b.getName())
          && Objects.equals(first, second)
          && (first == null
              || new ArrayList<>(first.entrySet()).equals(new ArrayList<>(second.entrySet())));
    }
  }

  /** Reads what {@link Writer} wrote. */
  static final class Reader {
    private final Input in;
    private final NameCodec.Reader names;
    private final List<LoggerContextVO> contexts = new ArrayList<>(2);

    Reader(Input in, NameCodec.Reader names) {
      this.in = in;
      this.names = names;
    }

    LoggerContextVO read() throws CodecException {
      int tag = in.varint();
      switch (tag) {
        case NameCodec.NULL:
          return null;
        case NameCodec.LITERAL:
          return body();
        case NameCodec.DEFINITION:
          if (contexts.size() == MAX_CONTEXTS) {
            throw new CodecException("more than " + MAX_CONTEXTS + " logger contexts");
          }
          LoggerContextVO context = body();
          contexts.add(context);
          return context;
        default:
          int number = tag - NameCodec.FIRST_REFERENCE;
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
      Map<String, String> properties = hasProperties == 1 ? names.readMap() : null;
      return new LoggerContextVO(name, properties, birthTime);
    }
  }
}
