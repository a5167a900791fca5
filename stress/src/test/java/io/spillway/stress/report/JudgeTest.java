package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgeTest {

  private static final Judge.Check KEPT = Judge.Check.promise("x", "0", "0", true, "");
  private static final Judge.Check BROKEN = Judge.Check.promise("x", "0", "1", false, "1 x");
  private static final Judge.Check DOUBTFUL =
      Judge.Check.condition("y", "one", "none", false, "no y");
  static final Judge.Check NOISY =
      Judge.Check.graded("z", "1", "2", Judge.Grade.NOTICEABLE, true, "2 z");
  private static final Judge.Limits LIMITS = new Judge.Limits(1_000, 0, 50, 1);
  private static final TrialResult.Control QUIET =
      new TrialResult.Control(60, 900, 9_000, 900, 0.1, List.of(), List.of());
  private static final TrialResult.Control LOUD =
      new TrialResult.Control(60, 60_000, 90_000, 60_000, 0.1, List.of(), inEachSecond(60_000));

  /** Others have most of the processors. */
  private static final TrialResult.Control STARVED =
      new TrialResult.Control(60, 60_000, 90_000, 60_000, 0.6, List.of(), inEachSecond(60_000));

  /** Its trial's own JVM is why. */
  private static final TrialResult.Control BUSY =
      new TrialResult.Control(
          60, 60_000, 90_000, 900, 0.1, inEachSecond(90_000), inEachSecond(900));

  private static final int WARM_UP_SECONDS = 3;
  private static final double MEASURED_SECONDS = 30;

  private double waited;
  private double offCpu = 0.01;
  private double onCpu = 0.1;
  private double stoppedMillis;
  private long callsMade = 10;
  private long threw;
  private List<Double> insideBySecond = List.of();

  /** In which calls are as late as {@code responseMillis}, and threads wait. */
  private List<Integer> lateSeconds = IntStream.range(WARM_UP_SECONDS, 33).boxed().toList();

  private long interrupted;
  private long calls = 10_000;
  private double serviceMillis = 10;
  private double responseMillis = 20;
  private boolean rotated = true;
  private boolean finished = true;
  private boolean complete = true;
  private TrialResult.Control control = QUIET;
  private Judge.Limits limits = LIMITS;
  private List<TrialResult.Parks.Frame> waitFrames = List.of();
  private List<TrialResult.Parks.Frame> seenFrames = List.of();
  private List<TrialResult.Parks.Frame> askedFor = List.of();
  private List<TrialResult.Parks.Frame> executed = List.of();
  private List<LoadFigures.ThreadCpu> threads = List.of();
  private ReadBackFigures readBack = readBack(0, 0, 0, 0, 0, true);

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, 0, true, 0",
    "1, 0, 0, 0, 0, true, 1",
    "0, 1, 0, 0, 0, true, 1",
    "0, 0, 1, 0, 0, true, 1",
    "0, 0, 0, 1, 0, true, 1",
    "0, 0, 0, 0, 1, true, 1",
    "0, 0, 0, 0, 0, false, 1",
    "1, 1, 1, 1, 1, false, 6",
  })
  void shouldNameEveryBrokenPromise(
      long lost,
      long duplicated,
      long outOfOrder,
      long torn,
      long unknown,
      boolean prefillIntact,
      int broken) {
    readBack = readBack(lost, duplicated, outOfOrder, torn, unknown, prefillIntact);

    List<Judge.Check> checks = checks();

    assertThat(checks).hasSize(19).filteredOn(JudgeTest::isViolated).hasSize(broken);
    assertThat(Judge.reasons(checks)).hasSize(broken);
    assertThat(Judge.felt(checks)).isEqualTo(Judge.Grade.NONE);
    assertThat(Judge.verdict(TrialResult.Role.PEER, checks))
        .isEqualTo(broken > 0 ? Judge.Verdict.VIOLATED : Judge.Verdict.PASSED);
  }

  /** In a minute; what the limit allows is none, ten times that a stall. */
  @ParameterizedTest
  @CsvSource({"0.003, NONE", "1, NONE", "1.1, NOTICEABLE", "9.9, NOTICEABLE", "10, STALL"})
  void shouldGradeWaitsByTheMinute(double perMinute, Judge.Grade grade) {
    waited = perMinute * MEASURED_SECONDS / 60;

    assertThat(Judge.felt(checks())).isEqualTo(grade);
    assertThat(isViolated()).isEqualTo(grade != Judge.Grade.NONE);
  }

  /** Zero allowed must not make a stall of a microsecond. */
  @Test
  void shouldNotCallAStallWhatIsShortIfNothingIsAllowed() {
    limits = new Judge.Limits(0, 0, 50, 1);
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.NONE);
    waited = 0.003;
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.NOTICEABLE);
  }

  /** A loop that yields, or a native call: no wait that a recorder knows. */
  @Test
  void shouldCountTimeOffTheProcessorBeyondTheControls() {
    offCpu = 20;
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.STALL);
    assertThat(Judge.reasons(checks()).get(0)).contains("off the processor 20.000 thread-s");
    onCpu = 20; // as the control is off the processor for as much of its own time on it
    assertThat(Judge.reasons(checks())).noneMatch(reason -> reason.contains("held up"));
  }

  @Test
  void shouldJudgeResponseTimesBesideServiceTimes() {
    responseMillis = 51;
    assertThat(reasons())
        .containsExactly(
            "p99.9 of response times outside the rotation was 51.0 ms (allowed: 50.0 ms)",
            "p99.9 of response times in the rotation was 51.0 ms (allowed: 50.0 ms)");
    serviceMillis = 52;
    assertThat(reasons())
        .contains("p99.9 of log calls in the rotation was 52.0 ms (allowed: 50.0 ms)");
    responseMillis = 500;
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.STALL);
  }

  @Test
  void shouldSayTooFewInsteadOfAPercentileAndJudgeTheWholeLoad() {
    calls = 999;
    responseMillis = 60;
    assertThat(checks())
        .filteredOn(check -> check.what().equals("p99.9 of response times in the rotation"))
        .singleElement()
        .matches(check -> check.seen().startsWith("too few: 999 calls"))
        .matches(check -> check.verdict() == Judge.Verdict.PASSED);
    assertThat(reasons())
        .containsExactly(
            "p99.9 of response times over the whole load was 60.0 ms (allowed: 50.0 ms)");
  }

  @Test
  void shouldNotForgiveCallsThatWereNotMade() {
    callsMade = 7;
    assertThat(reasons())
        .containsExactly(
            "3 of 10 log calls that were due were not made even after the end of the load");
    assertThat(isViolated()).isTrue();
  }

  @Test
  void shouldJudgeHowLongTheWholeJvmStandsStillAndNameWhoAskedForIt() {
    stoppedMillis = 290;
    assertThat(reasons()).isEmpty();
    stoppedMillis = 3_100;
    askedFor = List.of(new TrialResult.Parks.Frame("com.acme.Ours.collect", 3, 3));
    assertThat(reasons().get(0)).contains("10.33 %: 3.10 s", "com.acme.Ours.collect");
    limits = new Judge.Limits(1, 0, 50, 0.5);
    assertThat(checks()).as("as it was given").anyMatch(c -> c.allowed().equals("0.5 %"));
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.STALL);
  }

  @Test
  void shouldJudgeTheProcessorTimeOfALogCall() {
    onCpu = 5.1; // of 10,000 calls on either side
    assertThat(reasons()).isEmpty();
    onCpu = 10.1;
    assertThat(reasons()).containsExactly("a log call took 505 us of processor time on average");
  }

  /** Who waits for a lock has no frame of its holder. */
  @Test
  void shouldNameTheHoldersMethodRatherThanTheLocks() {
    waited = 100;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.doAppend", 10, 100));
    seenFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.append", 10, 1));
    assertThat(reasons().get(0)).endsWith("mostly under com.acme.Ours.append");
    seenFrames = List.of(new TrialResult.Parks.Frame("com.acme.Other.append", 10, 1));
    assertThat(reasons().get(0)).endsWith("mostly under com.acme.Ours.doAppend");
    waitFrames =
        List.of(waitFrames.get(0), new TrialResult.Parks.Frame("com.acme.Ours.append", 10, 5));
    assertThat(reasons().get(0)).as("forcing a file").endsWith("under com.acme.Ours.append");
  }

  @Test
  void shouldNameWhoTakesTheProcessors() {
    responseMillis = 80;
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Ours.burn", 10, 50));
    assertThat(reasons().get(0))
        .endsWith("; the JVM took 1.9 processors, 81 % of that under com.acme.Ours.burn");
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Ours.burn", 10, 20));
    assertThat(reasons().get(0))
        .as("of few samples")
        .endsWith("32 % of that under com.acme.Ours.burn");
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Ours.burn", 10, 10));
    assertThat(reasons().get(0)).as("one of many").doesNotContain("com.acme.Ours.burn");
  }

  /** A recorder that gets no processor takes no samples. */
  @Test
  void shouldNameWhichThreadTakesTheProcessorsIfThereAreNoSamples() {
    responseMillis = 80;
    LoadFigures.ThreadCpu early = new LoadFigures.ThreadCpu("main", 50, null);
    threads = List.of(early, new LoadFigures.ThreadCpu("burner", 40, "com.acme.Ours.burn"));
    assertThat(reasons().get(0))
        .endsWith("65 % of that by thread burner, mostly under com.acme.Ours.burn");
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Other.work", 10, 20));
    assertThat(reasons().get(0))
        .endsWith("65 % of that by thread burner, mostly under com.acme.Ours.burn");
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Other.work", 10, 50));
    assertThat(reasons().get(0)).endsWith("81 % of that under com.acme.Other.work");
    threads = List.of(early);
    executed = List.of();
    assertThat(reasons().get(0)).as("busy before the load").doesNotContain("processors");
  }

  /** Threads wait for one that gets no processor: both names are needed then. */
  @Test
  void shouldNameWhoTakesTheProcessorsThoughThreadsWaitForSomebodyElse() {
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Ours.burn", 10, 50));
    waited = 100;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Queue.put", 10, 100));
    assertThat(reasons().get(0)).contains("mostly under com.acme.Queue.put; the JVM took");
    assertThat(reasons().get(0)).endsWith("under com.acme.Ours.burn");
    waited = 0;
    callsMade = 9;
    assertThat(reasons().get(0)).contains("log calls that were due").endsWith("Ours.burn");
  }

  @Test
  void shouldLetNoiseExcuseWhatItExplainsButNoDamage() {
    control = LOUD;
    responseMillis = 80;
    assertThat(verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.NONE);
    assertThat(Judge.isNoise(checks())).isTrue();
    responseMillis = 601; // ten times what the machine was late by
    assertThat(verdict()).isEqualTo(Judge.Verdict.VIOLATED);
    control = STARVED;
    assertThat(verdict())
        .as("others had most of the processors")
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    control = LOUD;
    responseMillis = 20;
    waited = 1;
    assertThat(verdict()).as("half a second each").isEqualTo(Judge.Verdict.INCONCLUSIVE);
    waited = 100;
    assertThat(verdict()).as("fifty seconds").isEqualTo(Judge.Verdict.VIOLATED);
    waited = 0;
    readBack = readBack(1, 0, 0, 0, 0, true);
    assertThat(verdict()).isEqualTo(Judge.Verdict.VIOLATED);
  }

  /** A hiccup of the machine explains what is late then, and nothing else. */
  @Test
  void shouldExcuseOnlyWhatIsLateAtTheSameTimeAsTheMachine() {
    responseMillis = 800;
    lateSeconds = List.of(10, 11, 12);
    control = late(100_000, 1);
    assertThat(verdict()).as("in the warm-up").isEqualTo(Judge.Verdict.VIOLATED);
    control = late(100_000, 8);
    assertThat(verdict()).as("two seconds before").isEqualTo(Judge.Verdict.VIOLATED);
    control = late(100_000, 14);
    assertThat(verdict()).as("two seconds after").isEqualTo(Judge.Verdict.VIOLATED);
    control = late(100_000, 9);
    assertThat(verdict()).as("one second before").isEqualTo(Judge.Verdict.INCONCLUSIVE);
    control = late(100_000, 11);
    assertThat(verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    control = late(70_000, 11);
    assertThat(verdict()).as("more than ten times as late").isEqualTo(Judge.Verdict.VIOLATED);
  }

  /** A limit of half a thread-second in this load. */
  @Test
  void shouldExcuseOnlyTheWaitsOfSecondsInWhichTheMachineWasLate() {
    waited = 1.6;
    lateSeconds = List.of(10, 11, 20, 21);
    control = late(100_000, 10, 20);
    assertThat(verdict()).as("all four").isEqualTo(Judge.Verdict.INCONCLUSIVE);
    control = late(100_000, 10);
    assertThat(verdict()).as("0.8 are left").isEqualTo(Judge.Verdict.VIOLATED);
    waited = 0.1;
    offCpu = 1.9; // 0.2 of it likely: no waits that the recorder knows
    insideBySecond = inEachSecond(second -> lateSeconds.contains(second) ? 0.5 : 0);
    assertThat(verdict()).as("half of 1.7 is left").isEqualTo(Judge.Verdict.VIOLATED);
    control = late(100_000, 10, 20);
    assertThat(verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
  }

  /** Of five thread-seconds in calls two were held up. */
  @Test
  void shouldExcuseNoneOfTheTimeThatCallsWereOnTheProcessor() {
    lateSeconds = List.of(10, 11, 20, 21);
    control = late(100_000, 10);
    offCpu = 4; // half of it likely
    onCpu = 1;
    insideBySecond = inEachSecond(second -> lateSeconds.contains(second) ? 1.25 : 0);
    assertThat(verdict()).as("half of 2 is left").isEqualTo(Judge.Verdict.VIOLATED);
    insideBySecond = inEachSecond(second -> second == 10 || second == 11 ? 2.5 : 0);
    assertThat(verdict()).as("none is left").isEqualTo(Judge.Verdict.INCONCLUSIVE);
  }

  private static TrialResult.Control late(double micros, Integer... seconds) {
    List<Integer> noisy = List.of(seconds);
    return new TrialResult.Control(
        60,
        micros,
        micros,
        micros,
        0.1,
        List.of(),
        inEachSecond(second -> noisy.contains(second) ? micros : 60));
  }

  private static List<Double> inEachSecond(double value) {
    return inEachSecond(second -> value);
  }

  private static List<Double> inEachSecond(IntToDoubleFunction value) {
    return IntStream.range(0, 33).mapToDouble(value).boxed().toList();
  }

  @Test
  void shouldPassWhatKeptAllLimitsHoweverTheMachineStalled() {
    control = LOUD;
    assertThat(verdict()).isEqualTo(Judge.Verdict.PASSED);
  }

  @Test
  void shouldNotExcuseATrialByWhatItsOwnJvmDoesToTheMachine() {
    control = BUSY;
    responseMillis = 80;
    assertThat(verdict()).isEqualTo(Judge.Verdict.VIOLATED);
  }

  @Test
  void shouldDoubtATrialWithoutARotation() {
    rotated = false;
    assertThat(reasons()).containsExactly("no rotation was seen");
    assertThat(Judge.reasons(new Judge(limits, 0).checks(seen()))).isEmpty();
    rotated = true;
    assertThat(Judge.reasons(new Judge(limits, 0).checks(seen())))
        .containsExactly("there was a rotation");
  }

  /** Four of ten archives may have been finished. */
  @Test
  void shouldTellSeveralRotationsFromOne() {
    Judge several = new Judge(limits, 10);
    Judge.Check check = rotation(several);
    assertThat(List.of(check.allowed(), check.seen()))
        .containsExactly("10, finished", "10, 1.0 s until the last archive was finished");
    finished = false;
    check = rotation(several);
    assertThat(List.of(check.allowed(), check.seen(), check.reason()))
        .containsExactly(
            "10, finished",
            "not all finished",
            "rotations began, but not all 10 were finished in time");
    assertThat(rotation(new Judge(limits, 1)).reason())
        .isEqualTo("the rotation began, but its archive was not finished in time");
  }

  private Judge.Check rotation(Judge judge) {
    return judge.checks(seen()).stream()
        .filter(check -> check.what().equals("rotation"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldDoubtARecordingThatLostData() {
    complete = false;
    assertThat(reasons())
        .containsExactly("the flight recording lost data, so waits may be missing");
  }

  @Test
  void shouldLetAViolationOfASubjectAndAStallOutweighADoubt() {
    List<Judge.Check> both = List.of(KEPT, BROKEN, DOUBTFUL);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, both)).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.verdict(TrialResult.Role.PEER, both)).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    Judge.Check stall = Judge.Check.graded("s", "0", "9", Judge.Grade.STALL, false, "9 s");
    assertThat(Judge.verdict(TrialResult.Role.PEER, List.of(stall, DOUBTFUL)))
        .isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.verdict(TrialResult.Role.PEER, List.of(KEPT, BROKEN)))
        .isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, List.of(KEPT, DOUBTFUL)))
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, List.of(KEPT)))
        .isEqualTo(Judge.Verdict.PASSED);
    assertThat(Judge.reasons(both)).containsExactly("1 x", "no y");
  }

  @Test
  void shouldFailARunForItsSubjectsOnlyAndNotDoubtItForANoisyPeer() {
    TrialResult subject = trial(TrialResult.Role.SUBJECT, KEPT);
    TrialResult peer = trial(TrialResult.Role.PEER, BROKEN);
    TrialResult broken = trial(TrialResult.Role.SUBJECT, BROKEN);
    TrialResult unclear = trial(TrialResult.Role.PEER, DOUBTFUL);
    TrialResult noisyPeer = trial(TrialResult.Role.PEER, NOISY);
    TrialResult noisySubject = trial(TrialResult.Role.SUBJECT, NOISY);

    assertThat(noisyPeer.verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of(subject, peer))).isEqualTo(Judge.Verdict.PASSED);
    assertThat(RunResult.verdictOf(List.of(subject, noisyPeer))).isEqualTo(Judge.Verdict.PASSED);
    assertThat(RunResult.reasonsOf(List.of(subject, noisyPeer))).isEmpty();
    assertThat(RunResult.verdictOf(List.of(noisySubject, peer)))
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of(broken, unclear))).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(RunResult.verdictOf(List.of(subject, unclear)))
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of())).isEqualTo(Judge.Verdict.INCONCLUSIVE);
  }

  @Test
  void shouldTellInASentenceWhatWasFound() {
    assertThat(Judge.finding(seen(), checks()))
        .isEqualTo(
            "no thread was held up noticeably; p99.9 of response times 20.0 ms; nothing lost");
    waited = 100;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.put", 10, 100));
    readBack = readBack(3, 0, 0, 0, 0, true);
    assertThat(Judge.finding(seen(), checks()))
        .isEqualTo(
            "a stall: threads were held up in log calls for 100.000 thread-s, up to 7 of them at"
                + " once, mostly under com.acme.Ours.put; p99.9 of response times 20.0 ms; 3 lost");
  }

  @Test
  void shouldNameLogCallsThatThrowOrInterruptInTheSentenceToo() {
    threw = 12;
    interrupted = 3;
    assertThat(reasons())
        .containsExactly(
            "12 log calls threw, the first java.lang.OutOfMemoryError: 1",
            "3 log calls interrupted their thread");
    assertThat(isViolated()).isTrue();
    assertThat(Judge.finding(seen(), checks()))
        .endsWith("; nothing lost; " + String.join("; ", reasons()));
  }

  /** Not in waits that the flight recorder knows, nor in the warm-up. */
  @Test
  void shouldCountThreadsThatStoodInLogCallsByOtherMeansThanWaits() {
    waited = 0.1;
    offCpu = 360;
    insideBySecond = List.of(80.0, 80.0, 80.0, 59.6, 12.0);
    assertThat(Judge.finding(seen(), checks()))
        .startsWith("a stall: threads were held up in log calls for 359.")
        .contains(" thread-s, up to 60 of them at once; p99.9");
  }

  /** Neither is it the appender's, nor did nothing happen. */
  @Test
  void shouldTellInASentenceWhatTheMachineMayHaveDone() {
    control = LOUD;
    waited = 1;
    responseMillis = 80;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.put", 10, 1));
    assertThat(Judge.felt(checks())).isEqualTo(Judge.Grade.NONE);
    assertThat(Judge.finding(seen(), checks()))
        .isEqualTo(
            "the machine itself stalled, which may be why threads were held up in log calls for"
                + " 1.000 thread-s, up to 7 of them at once, mostly under com.acme.Ours.put; p99.9"
                + " of response times 80.0 ms; nothing lost");
  }

  @Test
  void shouldTellInASentenceOfCallsThatWereNotMade() {
    callsMade = 7;
    assertThat(Judge.finding(seen(), checks()))
        .startsWith("a stall: 3 of 10 log calls that were due were not made; p99.9");
    waited = 100;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.put", 10, 100));
    control = STARVED;
    assertThat(Judge.finding(seen(), checks()))
        .startsWith("a stall: 3 of 10 log calls that were due were not made")
        .contains(", mostly under com.acme.Ours.put; p99.9");
  }

  @Test
  void shouldNotSayOfATrialWithoutAVerdictThatItHeldNobodyUp() {
    TrialResult noisy = Results.judged("noisy", List.of(KEPT, NOISY), 0);
    TrialResult broken = Results.judged("broken", List.of(BROKEN, NOISY), 0);
    TrialResult unclear = Results.judged("unclear", List.of(KEPT, DOUBTFUL), 0);
    TrialResult kept = Results.judged("kept", List.of(KEPT), 0);

    assertThat(RunResult.findingOf(List.of(noisy, broken, unclear, kept)))
        .isEqualTo(
            "noisy, broken held application threads up while the machine itself stalled, which may"
                + " be why; unclear showed too little to tell; kept did not hold them up; broken: 1 x.");
  }

  @Test
  void shouldGiveTenthsOfAFewThreadSeconds() {
    Judge.Check stall = Judge.Check.graded("s", "0", "9", Judge.Grade.STALL, false, "9 s");
    TrialResult trial = Results.judged("short", List.of(stall), 5);

    assertThat(RunResult.findingOf(List.of(trial)))
        .isEqualTo(
            String.format(
                Locale.ROOT,
                "With short up to 0 threads stood in log calls at once, for %.1f thread-seconds in"
                    + " all; short stalled application threads.",
                5 * trial.load().measuredSeconds() / 60));
  }

  @Test
  void shouldTellInASentenceWhatWasTheWorst() {
    waited = 0.05;
    waitFrames = List.of(new TrialResult.Parks.Frame("com.acme.Ours.put", 10, 0.05));
    stoppedMillis = 3_100;
    askedFor = List.of(new TrialResult.Parks.Frame("com.acme.Ours.collect", 3, 3.1));
    assertThat(Judge.finding(seen(), checks()))
        .startsWith("a stall: all threads of the JVM stood still for 10.3 % of the time")
        .contains(", under com.acme.Ours.collect; p99.9");
    stoppedMillis = 0;
    responseMillis = 601;
    executed = List.of(new TrialResult.Parks.Frame("com.acme.Ours.burn", 10, 50));
    assertThat(Judge.finding(seen(), checks()))
        .startsWith("a stall: log calls were answered late; the JVM took 1.9 processors, 81 %")
        .contains("com.acme.Ours.burn; p99.9");
  }

  private List<String> reasons() {
    return Judge.reasons(checks());
  }

  private boolean isViolated() {
    return verdict() == Judge.Verdict.VIOLATED;
  }

  private Judge.Verdict verdict() {
    return Judge.verdict(TrialResult.Role.SUBJECT, checks());
  }

  private List<Judge.Check> checks() {
    return new Judge(limits, 1).checks(seen());
  }

  private Judge.Seen seen() {
    TrialResult.Parks parks =
        new TrialResult.Parks(
            waited > 0 ? 3 : 0,
            waited,
            0,
            waited / 2,
            7,
            null,
            null,
            waitFrames,
            inEachSecond(s -> lateSeconds.contains(s) ? waited / lateSeconds.size() : 0),
            null,
            complete);
    TrialResult.Pauses pauses =
        new TrialResult.Pauses(0, 0, 0, 0, stoppedMillis, stoppedMillis, List.of(), askedFor);
    return new Judge.Seen(load(), parks, pauses, executed, readBack, control);
  }

  private LoadFigures load() {
    LoadFigures.Rotation rotation =
        new LoadFigures.Rotation(rotated, rotated && finished, 1, 1.5, 2);
    LoadFigures.Calls service = calls(calls, serviceMillis);
    LoadFigures.Calls response = calls(calls, responseMillis);
    LoadFigures.Latency latency =
        new LoadFigures.Latency(
            service,
            service,
            service,
            response,
            response,
            calls(20_000, serviceMillis),
            calls(20_000, responseMillis));
    LoadFigures.InCalls inCalls =
        new LoadFigures.InCalls(
            onCpu + offCpu, onCpu, offCpu, 0.02, 0.02, insideBySecond, seenFrames);
    return new LoadFigures(
        List.of(),
        threw,
        threw > 0 ? "java.lang.OutOfMemoryError: 1" : null,
        interrupted,
        0,
        WARM_UP_SECONDS,
        WARM_UP_SECONDS + MEASURED_SECONDS,
        0,
        70,
        List.of(30.0, 32.0),
        threads,
        10,
        callsMade,
        inCalls,
        null,
        null,
        rotation,
        latency,
        IntStream.range(0, 33).mapToObj(this::second).toList(),
        List.of(),
        List.of());
  }

  private LoadFigures.Second second(int second) {
    double micros = lateSeconds.contains(second) ? 1_000 * responseMillis : 100;
    return new LoadFigures.Second(second, 300, 100, 100.0, micros, 0);
  }

  private static LoadFigures.Calls calls(long count, double p999Millis) {
    Double p999 = count < 1_000 ? null : p999Millis * 1_000;
    return new LoadFigures.Calls(count, 1.0, 2.0, p999, 50_000, List.of());
  }

  private static ReadBackFigures readBack(
      long lost, long duplicated, long outOfOrder, long torn, long unknown, boolean prefillIntact) {
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(10, 10, lost, duplicated, outOfOrder, torn, unknown, null);
    return new ReadBackFigures(events, null, prefillIntact, List.of());
  }

  private static boolean isViolated(Judge.Check check) {
    return check.verdict() == Judge.Verdict.VIOLATED;
  }

  private static TrialResult trial(TrialResult.Role role, Judge.Check check) {
    List<Judge.Check> evidence = List.of(check);
    return new TrialResult(
        "t",
        0,
        1,
        role,
        "",
        "",
        List.of(),
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        evidence,
        Judge.verdict(role, evidence),
        null,
        null,
        "",
        Judge.reasons(evidence));
  }
}
