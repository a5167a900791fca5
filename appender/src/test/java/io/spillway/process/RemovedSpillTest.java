package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody removes the spill just before the end, and nobody has noticed yet. */
class RemovedSpillTest {
  private static final int EVENTS = 3_000;

  @TempDir Path directory;

  private enum End {
    STOP {
      @Override
      void of(Subject subject) {
        subject.appender().stop();
      }
    },
    EXIT {
      @Override
      void of(Subject subject) throws Exception {
        ExitHooks.of(subject.appender()).run();
      }
    };

    abstract void of(Subject subject) throws Exception;
  }

  private Subject spilled() {
    Subject subject = new Subject(Subject.Kind.WRAPPED, directory);
    subject.settings().setMaxFlushTime("100");
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    await().until(() -> subject.metrics().getRingUsed() == 0);
    assertThat(subject.metrics().getSpilled()).isPositive();
    return subject;
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeWrittenAgainFromTheOpenFiles(End end) throws Exception {
    try (Subject subject = spilled()) {
      List<Path> segments =
          Rig.filesBelow(subject.spillDirectory()).stream()
              .filter(file -> file.toString().endsWith(".seg"))
              .toList();
      assertThat(segments).isNotEmpty();
      Shell.attempt("rm", "-rf", subject.spillDirectory()); // what is written meanwhile may stay

      end.of(subject);

      assertThat(subject.metrics().getLost()).isZero();
      assertThat(segments).allMatch(Files::exists);
      subject.appender().stop();
      try (Subject next = new Subject(Subject.Kind.WRAPPED, directory)) {
        next.start().awaitDelivered();
        new SequenceCheck(next.lines()).assertInOrderWithoutFragments().assertComplete("0", EVENTS);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldCountWhatCannotBeWrittenAgain(End end) throws Exception {
    try (Subject subject = spilled()) {
      Path spill = subject.spillDirectory();
      await().until(() -> isReplacedByFile(spill));

      end.of(subject);

      assertThat(subject.metrics().getPending()).isZero();
      assertThat(subject.metrics().getLost()).isGreaterThan(EVENTS - 10);
      subject.appender().stop();
      Files.delete(spill);
      try (Subject next = new Subject(Subject.Kind.WRAPPED, directory)) {
        next.start();
        assertThat(next.isDelivered(Duration.ofSeconds(20))).isTrue();
        assertThat(next.lines()).hasSize((int) (EVENTS - subject.metrics().getLost()));
      }
    }
  }

  /** Not if the drainer has made the directory anew between the two steps. */
  private static boolean isReplacedByFile(Path spill) throws IOException {
    Shell.attempt("rm", "-rf", spill);
    try {
      Files.createFile(spill);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }
}
