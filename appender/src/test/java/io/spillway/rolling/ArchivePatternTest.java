package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.core.ContextBase;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Names are told from strangers' to the letter, whatever Logback prints. */
class ArchivePatternTest {
  private static final String[] DATES = {
    "yyyy-MM-dd",
    "yyyy/MM/dd, aux}/%d{yyyyMMdd_HHmmss",
    "yy-M-d_H.m.s.SSS",
    "dd-MMM-uuuu_a_hh",
    "yyyy-'W'ww''e",
    "EEEE'.'yyyy-DDD",
    "yyyy-MM-dd_HH-mm_z, America/New_York",
    "yyyy-MM-dd'T'HH.mmXXX, Asia/Kathmandu",
    "yyyy-MM-dd_HH_VV, UTC",
    "yyyy-QQ-MM_n",
  };

  private static ArchivePattern pattern(String text, String suffix) {
    return new ArchivePattern(text, suffix, null, new ContextBase());
  }

  @Property(tries = 500)
  void shouldMatchWhateverLogbackPrints(
      @ForAll @IntRange(max = 9) int date,
      @ForAll @LongRange(max = 4_000_000_000_000L) long millis,
      @ForAll @IntRange(max = 1_000_000) int index) {
    String text =
        "/var/log/app+[1].(x)/a$b.%d{" + DATES[date] + "}^%02i_.log|.gz".replace('_', '-');
    ArchivePattern pattern = pattern(text, ".gz");
    String stem = pattern.stem(Instant.ofEpochMilli(millis), index);
    assertThat(stem).matches(pattern.stems());
    assertThat(pattern.partsOf(stem).index()).isEqualTo(index);
    assertThat(pattern.partsOf(stem).freeNumber()).isZero();
    assertThat(pattern.partsOf(stem + ".12").freeNumber()).isEqualTo(12);
    assertThat(pattern.partsOf(stem + ".12").withoutNumbers())
        .isEqualTo(pattern.partsOf(pattern.stem(Instant.ofEpochMilli(millis), 3)).withoutNumbers());
    assertThat(pattern.covers(pattern.root(), pattern.root().resolve(stem))).isTrue();
    assertThat(pattern.covers(pattern.root(), pattern.root().resolve(stem + ".gz"))).isTrue();
    assertThat(pattern.covers(pattern.root(), pattern.root().resolve(stem + ".3.gz"))).isTrue();
    assertThat(pattern.covers(pattern.root(), pattern.root().resolve(stem + "x"))).isFalse();
  }

  @Property(tries = 5_000)
  void shouldUnderstandOrRefuseAnything(
      @ForAll @Chars({'a', '/', '\\', '.', '%', 'd', 'i', '{', '}', '(', ')', ',', '\'', 'y', '-'})
          String text) {
    try {
      assertThat(pattern("logs/" + text, "").stem(Instant.EPOCH, 1)).isNotNull();
    } catch (IllegalArgumentException | DateTimeException refused) {
      assertThat(refused).hasMessageNotContaining("null");
    }
  }

  @Test
  void shouldRefuseAQuoteThatDoesNotEnd() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pattern("logs/app.%d{,'yyyy-MM-dd})", ""))
        .withMessageContaining("a quote or brace that does not end");
  }

  @Test
  void shouldSplitFixedDirectoriesFromTheRest() {
    assertThat(pattern("/var/log/app.%i.log", "").root()).isEqualTo(Path.of("/var/log"));
    assertThat(pattern("/var/%d{yyyy}/%i/x.log", "").root()).isEqualTo(Path.of("/var"));
    assertThat(pattern("app.%i.log", "").root()).isEqualTo(Path.of("").toAbsolutePath());
    assertThat(pattern(" logs\\old/app.%i.log ", "").root())
        .isEqualTo(Path.of("logs/old").toAbsolutePath());
    assertThat(pattern("/var/%d{yyyy/MM}/x.%i.log.gz", ".gz").stem(Instant.EPOCH, 7))
        .isEqualTo("1970/01/x.7.log");
  }

  @Test
  void shouldTakeNumbersThatHaveNoNextOneForStrangers() {
    ArchivePattern pattern = pattern("/log/app.%i.log.gz", ".gz");
    assertThat(pattern.partsOf("app.999999999.log").index()).isEqualTo(999_999_999);
    assertThat(pattern.partsOf("app.2147483647.log")).isNull();
    assertThat(pattern.partsOf("app.-2147483648.log")).isNull();
    assertThat(pattern.partsOf("app.1.log.2147483647")).isNull();
  }

  @Test
  void shouldKeepStrangersOut() {
    ArchivePattern pattern = pattern("/log/app.%d{yyyy-MM-dd}.%i.log.gz", ".gz");
    for (String stranger :
        new String[] {
          "app.2026-05-06.log",
          "app.2026-05-06.1.log.bak",
          "app.2026-5-6.1.log",
          "appX2026-05-06.1.log",
          "app.2026-05-06.-1.log",
          "app.2026-05-06.1.log.x",
          "app.2026-05-06.1.log.1.2",
          "sub/app.2026-05-06.1.log",
          "../log2/app.2026-05-06.1.log",
          "",
        }) {
      assertThat(pattern.covers(pattern.root(), Path.of("/log", stranger))).as(stranger).isFalse();
    }
  }

  @Test
  void shouldTellWhereTheIndexIs() {
    assertThat(pattern("/log/%d/app.%i.log", "").hasIndexInDirectory()).isFalse();
    assertThat(pattern("/log/%i/app.%d.log", "").hasIndexInDirectory()).isTrue();
    assertThat(pattern("/log/%i-%d{yyyy/MM}.log", "").hasIndexInDirectory()).isTrue();
  }

  @Test
  void shouldTakeTheIndicesOfAWindowOnly() {
    ArchivePattern pattern = new ArchivePattern("/log/app.%03i.log", "", "0*(?:1|2|13)", null);
    assertThat(pattern.covers(pattern.root(), Path.of("/log/app.001.log"))).isTrue();
    assertThat(pattern.covers(pattern.root(), Path.of("/log/app.013.log"))).isTrue();
    assertThat(pattern.covers(pattern.root(), Path.of("/log/app.003.log"))).isFalse();
    assertThat(pattern.covers(pattern.root(), Path.of("/log/app.20260506.log"))).isFalse();
  }
}
