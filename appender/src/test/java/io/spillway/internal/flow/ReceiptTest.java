package io.spillway.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReceiptTest {
  /** Else the syncer would fsync for the sake of a caller that has gone. */
  @Test
  void shouldNotCountACallerThatHasGivenUpAsWaiting() {
    Receipt receipt = new Receipt();
    assertThat(receipt.await(1)).isFalse();
    assertThat(receipt.isSettled()).isTrue();
    receipt.settle(true);
    assertThat(receipt.await(1)).as("acknowledged after the caller was told").isFalse();
  }

  /** A whole chain is told, or forgotten. */
  @Test
  void shouldBeOverOnceNobodyOfItsChainWaits() {
    Receipt first = new Receipt();
    Receipt second = new Receipt().after(first);
    assertThat(first.await(1)).isFalse();
    assertThat(first.isOver()).isFalse();
    assertThat(second.await(1)).isFalse();
    assertThat(first.isOver()).isTrue();
  }

  @Test
  void shouldTellWhatWasSettledBefore() {
    Receipt receipt = new Receipt();
    receipt.settle(true);
    assertThat(receipt.await(0)).isTrue();
  }
}
