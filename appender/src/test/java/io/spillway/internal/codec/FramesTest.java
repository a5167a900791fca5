package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ClassPackagingData;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.util.List;
import org.junit.jupiter.api.Test;

class FramesTest {
  private static StackTraceElement spill(StackTraceElement frame) {
    return Runs.roundTrip(Events.of("").caller(frame)).getCallerData()[0];
  }

  private static StackTraceElement frame(String loader, String module, String version) {
    return new StackTraceElement(
        loader, module, version, "com.example.Till", "sell", "Till.java", 7);
  }

  @Test
  void shouldShowRealFramesAsBefore() {
    // From the JDK's modules, and from a lambda and the class path: neither shows all that it
    // knows.
    List<StackTraceElement> frames = new java.util.ArrayList<>();
    List.of(1).forEach(i -> frames.addAll(List.of(new Throwable().getStackTrace())));
    assertThat(frames).extracting(StackTraceElement::getModuleVersion).anyMatch(v -> v != null);
    assertThat(frames).extracting(StackTraceElement::getClassLoaderName).anyMatch(l -> l != null);

    for (StackTraceElement frame : frames) {
      assertThat(spill(frame)).hasToString(frame.toString());
    }
  }

  @Test
  void shouldKeepWhatAFrameShows() {
    for (String loader :
        new String[] {null, "", "loader", "com.example.Till", "com.example.Till.sell("}) {
      for (String module : new String[] {null, "", "module"}) {
        for (String version : new String[] {null, "", "1.2"}) {
          StackTraceElement frame = frame(loader, module, version);
          assertThat(spill(frame)).hasToString(frame.toString());
        }
      }
    }
  }

  @Test
  void shouldKeepAllThatALayoutAsksOf() {
    StackTraceElement plain = frame(null, "module", null);
    StackTraceElement nativeMethod = new StackTraceElement("A", "b", null, -2);

    assertThat(spill(plain)).isEqualTo(plain);
    assertThat(spill(nativeMethod)).isEqualTo(nativeMethod).hasToString("A.b(Native Method)");
    assertThat(spill(null)).isNull();
  }

  @Test
  @SuppressWarnings("deprecation") // newer Logback deprecates packaging data and still prints it
  void shouldKeepPackagingData() {
    ThrowableProxy proxy = new ThrowableProxy(new IllegalStateException());
    StackTraceElementProxy[] frames = proxy.getStackTraceElementProxyArray();
    frames[0].setClassPackagingData(new ClassPackagingData("a.jar", "1.0", true));
    frames[1].setClassPackagingData(new ClassPackagingData("b.jar", null, false));
    frames[2].setClassPackagingData(new ClassPackagingData());
    StackTraceElementProxy[] spilled =
        Runs.roundTrip(Events.of("").throwable(proxy))
            .getThrowableProxy()
            .getStackTraceElementProxyArray();

    for (int i = 0; i < frames.length; i++) {
      assertThat(spilled[i].getClassPackagingData()).isEqualTo(frames[i].getClassPackagingData());
    }
  }
}
