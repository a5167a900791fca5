package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.LoggerContextVO;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Writes each logger context of a run once; events refer to it by number. */
final class ContextWriter {
  private final Output out;
  private final NameWriter names;
  private final List<LoggerContextVO> contexts = new ArrayList<>();

  ContextWriter(Output out, NameWriter names) {
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
      out.varint(Format.NULL);
      return;
    }
    int number = find(context);
    if (number >= 0) {
      out.varint(Format.FIRST_REFERENCE + number);
      return;
    }
    boolean define = contexts.size() < Format.MAX_CONTEXTS;
    out.varint(define ? Format.DEFINITION : Format.LITERAL);
    out.string(context.getName());
    out.zigzag(context.getBirthTime());
    Map<String, String> properties = context.getPropertyMap();
    out.u8(properties == null ? 0 : 1);
    if (properties != null) {
      MapCodec.write(out, names, properties);
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

  // Events that came over a socket may each bring a copy. Layouts print the properties in order, so
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
