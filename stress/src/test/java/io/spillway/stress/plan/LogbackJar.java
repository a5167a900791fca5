package io.spillway.stress.plan;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.PropertyDefinerBase;
import java.nio.file.Path;

/** A property in a configuration: the name of the jar that Logback is from. */
public final class LogbackJar extends PropertyDefinerBase {
  @Override
  public String getPropertyValue() {
    return Path.of(Context.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .getFileName()
        .toString();
  }
}
