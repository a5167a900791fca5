package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServiceTrialTest {

  /** As taskset and the kernel write them. */
  @Test
  void shouldReadNumbersAndRangesOfProcessors() {
    assertThat(ServiceTrial.processors("0")).containsExactly(0);
    assertThat(ServiceTrial.processors("4,0-2")).containsExactly(0, 1, 2, 4);
    assertThat(ServiceTrial.processors("\t0-1,3")).containsExactly(0, 1, 3);
  }
}
