package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

/** Markers with their references, throwables with those below them, and frames. */
@Timeout(60)
@SuppressWarnings("deprecation") // references of markers and packaging data, still in use
class TreesTest {
  private static final String LEFT_OUT = "[left out]";

  private static Marker marker(String name, Marker... references) {
    Marker marker = new BasicMarkerFactory().getDetachedMarker(name);
    for (Marker reference : references) {
      marker.add(reference);
    }
    return marker;
  }

  /** SLF4J's own markers refuse circles; this one takes any reference. */
  private static Marker loop(String name, Iterable<Marker> references) {
    return (Marker)
        Proxy.newProxyInstance(
            Marker.class.getClassLoader(),
            new Class<?>[] {Marker.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getName" -> name;
                  case "iterator" -> references.iterator();
                  default -> "text of " + name;
                });
  }

  private static Marker spill(Marker marker) {
    return Events.roundTrip(Events.of("").markers(marker)).getMarkerList().get(0);
  }

  @Test
  void shouldKeepNamesReferencesAndText() {
    Marker original = marker("top", marker("left", marker("deep")), marker("right"));
    Marker spilled = spill(original);

    assertThat(spilled).hasToString(original.toString()).isEqualTo(original);
    assertThat(original).isEqualTo(spilled).hasSameHashCodeAs(spilled);
    assertThat(spilled.contains("deep")).isTrue();
    assertThat(spilled.contains(marker("right"))).isTrue();
    assertThat(spilled.contains("other")).isFalse();
    assertThat(spilled.hasReferences()).isTrue();
    assertThat(spilled.iterator()).toIterable().hasSize(2);
    assertThat(spill(loop("own", List.of()))).hasToString("text of own");
    assertThatThrownBy(() -> spilled.add(marker("other")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void shouldCutMarkersThatHaveNoEnd() {
    List<Marker> ofOne = new ArrayList<>();
    List<Marker> ofTwo = new ArrayList<>();
    Marker one = loop("one", ofOne);
    ofOne.add(loop("two", ofTwo));
    ofTwo.add(one);
    Marker spilled = spill(one);
    int depth = 0;
    for (Marker next = spilled; next.hasReferences(); next = next.iterator().next()) {
      depth++;
    }
    assertThat(depth).isEqualTo(65);
    assertThat(spilled.contains("two")).isTrue();
    assertThat(spilled.contains(LEFT_OUT)).isTrue();

    ofTwo.add(one); // twice as many at each level
    assertThat(spill(one).contains(LEFT_OUT)).isTrue();
    Marker endless = loop("endless", () -> Stream.generate(() -> marker("again")).iterator());
    List<String> names = new ArrayList<>();
    spill(endless).iterator().forEachRemaining(reference -> names.add(reference.getName()));
    assertThat(names).hasSize(1025).endsWith("again", LEFT_OUT);
  }

  /** A proxy of somebody's own making, with what Logback's never have; as a list, if circular. */
  private static IThrowableProxy own(
      String name, List<IThrowableProxy> cause, IThrowableProxy... suppressed) {
    return (IThrowableProxy)
        Proxy.newProxyInstance(
            IThrowableProxy.class.getClassLoader(),
            new Class<?>[] {IThrowableProxy.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getClassName" -> name;
                  case "getCause" -> cause.isEmpty() ? null : cause.get(0);
                  case "getSuppressed" -> suppressed;
                  case "getCommonFrames" -> -1;
                  case "isCyclic" -> false;
                  default -> null;
                });
  }

  private static IThrowableProxy spill(IThrowableProxy proxy) {
    return Events.roundTrip(Events.of("").throwable(proxy)).getThrowableProxy();
  }

  private static Throwable chain(int causes) {
    Throwable throwable = new IllegalStateException("root");
    for (int i = 0; i < causes; i++) {
      throwable = new IllegalStateException("level " + i, throwable);
    }
    return throwable;
  }

  private static List<String> causes(IThrowableProxy first) {
    List<String> names = new ArrayList<>();
    for (IThrowableProxy next = first; next != null; next = next.getCause()) {
      names.add(next.getClassName() + ": " + next.getMessage());
    }
    return names;
  }

  @Test
  void shouldKeepAThrowableAsItIsPrinted() {
    Throwable outer = chain(256);
    outer.addSuppressed(new Error("one", new RuntimeException()));
    outer.addSuppressed(new Error("two", outer)); // circular
    IThrowableProxy original = new ThrowableProxy(outer);

    assertThat(ThrowableProxyUtil.asString(spill(original)))
        .isEqualTo(ThrowableProxyUtil.asString(original))
        .contains("CIRCULAR");
  }

  @Test
  void shouldCutCausesAtADepth() {
    List<String> original = causes(new ThrowableProxy(chain(300)));
    List<String> spilled = causes(spill(new ThrowableProxy(chain(300))));

    assertThat(spilled).hasSize(258).endsWith(LEFT_OUT + ": null");
    assertThat(spilled.subList(0, 257)).isEqualTo(original.subList(0, 257));
  }

  @Test
  void shouldCutThrowablesThatHaveNoEnd() {
    List<IThrowableProxy> cause = new ArrayList<>();
    IThrowableProxy[] suppressed = new IThrowableProxy[2];
    IThrowableProxy own = own("own", cause, suppressed);
    cause.add(own);
    assertThat(causes(spill(own))).hasSize(258);
    Arrays.fill(suppressed, own); // three times as many at each level
    assertThat(causes(spill(own))).contains(LEFT_OUT + ": null");

    IThrowableProxy[] many = new IThrowableProxy[10_000];
    Arrays.fill(many, own("suppressed", List.of()));
    assertThat(spill(own("many", List.of(), many)).getSuppressed())
        .hasSize(10_000)
        .filteredOn(each -> each.getClassName().equals("suppressed"))
        .hasSize(4095);
  }

  @Test
  void shouldReadNothingWhereAForeignThrowableHasNull() {
    IThrowableProxy spilled = spill(own("own", List.of(), (IThrowableProxy) null));

    assertThat(spilled.getStackTraceElementProxyArray()).isEmpty();
    assertThat(spilled.getSuppressed()).containsExactly((IThrowableProxy) null);
    assertThat(spilled.getCommonFrames()).isEqualTo(-1);
    assertThat(spill(own("none", List.of(), (IThrowableProxy[]) null)).getSuppressed()).isEmpty();
  }

  private static StackTraceElement spill(StackTraceElement frame) {
    return Events.roundTrip(Events.of("").caller(frame)).getCallerData()[0];
  }

  private static StackTraceElement frame(String loader, String module, String version) {
    return new StackTraceElement(loader, module, version, "a.Till", "sell", "Till.java", 7);
  }

  @Test
  void shouldShowOfAFrameWhatItShowed() {
    // From the JDK's modules, and from a lambda and the class path: neither shows all it knows.
    List<StackTraceElement> frames = new ArrayList<>();
    frames.add(new StackTraceElement("A", "b", null, -2));
    List.of(1).forEach(i -> frames.addAll(List.of(new Throwable().getStackTrace())));
    assertThat(frames).extracting(StackTraceElement::getModuleVersion).anyMatch(v -> v != null);
    assertThat(frames).extracting(StackTraceElement::getClassLoaderName).anyMatch(l -> l != null);
    for (String loader : new String[] {null, "", "loader", "a.Till", "a.Till.sell("}) {
      for (String module : new String[] {null, "", "module"}) {
        for (String version : new String[] {null, "", "1.2"}) {
          frames.add(frame(loader, module, version));
        }
      }
    }

    for (StackTraceElement frame : frames) {
      assertThat(spill(frame)).hasToString(frame.toString());
    }
  }
}
