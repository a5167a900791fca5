package io.spillway.examples.testkit;

import java.lang.reflect.Field;

/** Reads settings in effect that neither a getter nor a file shows, by reflection. */
public final class Internals {
  private Internals() {}

  /**
   * Returns the value at the end of a chain of fields.
   *
   * @param path names of fields, separated by dots
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
