package io.spillway.stress.plan;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The parts that built-in configurations are made of, as resources beside each other. */
final class Template {
  private static final String FOLDER = "/io/spillway/stress/trials/";

  private Template() {}

  /** A configuration as it is. */
  static String text(String name) {
    try (InputStream in = Template.class.getResourceAsStream(FOLDER + name + ".xml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A configuration with its policies and the appender's settings in their places.
   *
   * @param rolling the policies, a resource in the folder of that name
   * @param settings elements of the appender, one a line; may be empty
   */
  static String filled(String name, String rolling, String settings) {
    return text(name)
        .replace("{{rolling}}\n", text("rolling/" + rolling))
        .replace("{{settings}}\n", settings.indent(4));
  }
}
