package io.spillway.examples.testkit;

import java.lang.reflect.Field;

/** For settings in effect that neither a getter nor a file shows. */
public final class Internals {
  private Internals() {}

  /**
   * What a chain of fields leads to.
   *
   * @param path names, with dots between them
   */
  public static Object read(Object start, String path) throws ReflectiveOperationException {
    Object value = start;
    for (String name : path.split("\\.")) {
      Field field = find(value.getClass(), name);
      field.setAccessible(true);
      value = field.get(value);
    }
    return value;
  }

  private static Field find(Class<?> type, String name) throws NoSuchFieldException {
    for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
      for (Field field : owner.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          return field;
        }
      }
    }
    throw new NoSuchFieldException(type + " has no " + name);
  }
}
