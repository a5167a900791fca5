package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

class HourEndTest {
  @Test
  void shouldBeAFullMinuteNotBeforeTheGivenInstant() {
    Instant full = Instant.parse("2026-03-01T10:07:00Z");
    assertThat(TrialRunner.HourEnd.notBefore(full).at()).isEqualTo(full);
    assertThat(TrialRunner.HourEnd.notBefore(full.plusMillis(1)).at())
        .isEqualTo(full.plusSeconds(60));
    assertThat(TrialRunner.HourEnd.notBefore(full.plusMillis(59_999)).at())
        .isEqualTo(full.plusSeconds(60));
  }

  @Test
  void shouldEndAnHourInItsZoneWhateverTheMinute() {
    Instant first = Instant.parse("2026-03-01T10:00:00Z");
    for (int minute = 0; minute < 60; minute++) {
      TrialRunner.HourEnd end = new TrialRunner.HourEnd(first.plusSeconds(60L * minute));
      ZoneId zone = ZoneId.of(end.zone());
      ZonedDateTime local = end.at().atZone(zone);
      assertThat(local.getMinute()).as(end.zone()).isZero();
      assertThat(local.getSecond()).isZero();
      assertThat(TimeZone.getTimeZone(zone).getRawOffset())
          .as("known to Logback's calendar")
          .isEqualTo(zone.getRules().getOffset(end.at()).getTotalSeconds() * 1000);
    }
  }

  @Test
  void shouldSayHowLongToWait() {
    TrialRunner.HourEnd end = new TrialRunner.HourEnd(Instant.parse("2026-03-01T10:00:00Z"));
    Duration before = Duration.ofSeconds(11);
    assertThat(end.waitUntil(before, Instant.parse("2026-03-01T09:59:09.500Z")))
        .isEqualTo(Duration.ofMillis(39_500));
    assertThat(end.waitUntil(before, end.at().minusSeconds(5))).isZero();
  }
}
