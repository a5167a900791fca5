package io.spillway.internal.codec;

import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps of strings, in the order in which they iterate. */
final class MapCodec {
  private static final int MIN_ENTRY_BYTES = 2;

  private MapCodec() {}

  static void write(Output out, NameCodec.Writer names, Map<String, String> map) {
    int size = map.size();
    out.varint(size);
    if (size == 0) {
      return;
    }
    int written = 0;
    for (Map.Entry<String, String> entry : map.entrySet()) {
      names.write(entry.getKey());
      out.string(entry.getValue());
      written++;
    }
    if (written != size) {
      throw new ConcurrentModificationException(size + " entries announced, " + written + " found");
    }
  }

  static Map<String, String> read(Input in, NameCodec.Reader names) throws CodecException {
    int size = in.count(MIN_ENTRY_BYTES);
    if (size == 0) {
      return Collections.emptyMap();
    }
    Map<String, String> map = new LinkedHashMap<>(size + size / 2 + 1);
    for (int i = 0; i < size; i++) {
      map.put(names.read(), in.string());
    }
    return map;
  }
}
