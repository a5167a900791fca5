package io.spillway.stress.watch;

/**
 * One frame of a stack.
 *
 * @param type the class, with its package
 * @param method the method's name
 */
record Frame(String type, String method) {

  /** Reads {@code package.Type.method}. */
  static Frame of(String qualified) {
    int dot = qualified.lastIndexOf('.');
    return dot < 0
        ? new Frame("", qualified)
        : new Frame(qualified.substring(0, dot), qualified.substring(dot + 1));
  }

  @Override
  public String toString() {
    return type.isEmpty() ? method : type + "." + method;
  }
}
