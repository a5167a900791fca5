package io.spillway.stress.sandbox;

import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What happened to the properties of one configuration while it was interpreted. */
final class SandboxSession {
  private static final Duration BY_DEFAULT = new SizeBasedTriggeringPolicy<>().getCheckIncrement();
  private static final String DEFAULT_SIZE =
      String.valueOf(
          new SizeBasedTriggeringPolicy<>().getMaxFileSize().getSize()); // Spillway's, too
  private static final Duration OFTEN = Duration.buildByMilliseconds(100);

  private final Sandbox sandbox;
  private final String limit;
  private final List<Findings.Redirection> redirections = new ArrayList<>();
  private final Map<Object, String> sizes = new IdentityHashMap<>();

  /**
   * Begins.
   *
   * @param limit the file size to roll over at, instead of the configuration's own, or null
   */
  SandboxSession(Sandbox sandbox, String limit) {
    this.sandbox = sandbox;
    this.limit = limit;
  }

  /** Where a path leads. */
  String redirect(String property, String path) {
    String to = sandbox.redirect(path);
    redirections.add(new Findings.Redirection(property, path, to));
    return to;
  }

  /** Where a file is that the configuration reads. */
  String fromHome(String path) {
    return sandbox.home().resolve(path).toString();
  }

  /**
   * The size that a policy gets. One that would look at the file's size once a minute only, as is
   * its default, is told to look oftener: a trial has no minute to wait.
   */
  String maxFileSize(Object policy, String configured) {
    String size = limit == null ? configured : limit;
    if (policy instanceof SizeBasedTriggeringPolicy<?> sized
        && Objects.equals(sized.getCheckIncrement(), BY_DEFAULT)) {
      sized.setCheckIncrement(OFTEN);
    }
    sizes.put(policy, size);
    return size;
  }

  /** The same for a policy that nothing was said to, and that has begun with its default. */
  void maxFileSizeByDefault(TriggeringPolicy<?> policy) {
    if (sizes.containsKey(policy)) {
      return;
    }
    if (policy instanceof SizeBasedTriggeringPolicy<?> sized) {
      sized.stop();
      sized.setMaxFileSize(FileSize.valueOf(maxFileSize(sized, DEFAULT_SIZE)));
      sized.start();
    } else if (policy instanceof io.spillway.rolling.SizeBasedTriggeringPolicy<?> sized) {
      sized.stop();
      sized.setMaxFileSize(maxFileSize(sized, DEFAULT_SIZE));
      sized.start();
    }
  }

  /** The size that a policy got, or null. */
  String maxFileSizeOf(Object policy) {
    return sizes.get(policy);
  }

  List<Findings.Redirection> redirections() {
    return List.copyOf(redirections);
  }
}
