package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Calls;
import java.io.File;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Imports run one way, and the publish path cannot reach anything that waits. */
class ArchitectureTest {
  /** In the order in which events pass; each may use only those after it. */
  private static final List<String> ORDER =
      List.of(
          "",
          "internal.ring",
          "internal.route",
          "internal.spill",
          "internal.codec",
          "internal.sink",
          "rolling",
          "internal.compress",
          "archive",
          "internal.disk",
          "internal.metrics",
          "metrics");

  /** What a log call runs of Spillway. */
  private static final List<String> PUBLISH_PATH =
      List.of(
          "io.spillway.PublishGate",
          "io.spillway.Preparer",
          "io.spillway.Acknowledgement",
          "io.spillway.Backoff",
          "io.spillway.internal.ring.EventRing",
          "io.spillway.internal.ring.Sleeper",
          "io.spillway.internal.route.Receipt");

  static {
    ((Logger) LoggerFactory.getLogger("com.tngtech.archunit")).setLevel(Level.WARN); // it chatters
  }

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.spillway");

  @Test
  void shouldImportOneWayOnly() {
    for (int i = 1; i < ORDER.size(); i++) {
      String[] earlier =
          ORDER.subList(0, i).stream().map(ArchitectureTest::packageName).toArray(String[]::new);
      ArchRule rule =
          noClasses()
              .that()
              .resideInAPackage(packageName(ORDER.get(i)))
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(earlier);
      rule.check(CLASSES);
    }
  }

  @Test
  void shouldKnowEveryPackage() {
    String[] all = ORDER.stream().map(ArchitectureTest::packageName).toArray(String[]::new);
    ArchRuleDefinition.classes()
        .that()
        .resideInAPackage("io.spillway..")
        .should()
        .resideInAnyPackage(all)
        .check(CLASSES);
  }

  /** Whoever uses the library sees nothing of its inner parts, so these may change. */
  @Test
  void shouldShowNoInternalTypeInAnExportedSignature() {
    List<String> shown = new ArrayList<>();
    for (JavaClass type : CLASSES) {
      if (!type.getPackageName().contains(".internal") && isVisible(type)) {
        Stream<JavaClass> supertypes =
            Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream());
        Stream<JavaClass> members =
            type.getMembers().stream()
                .filter(ArchitectureTest::isVisible)
                .flatMap(member -> member.getAllInvolvedRawTypes().stream());
        Stream.concat(supertypes, members)
            .filter(seen -> seen.getPackageName().startsWith("io.spillway.internal"))
            .forEach(seen -> shown.add(type.getName() + " shows " + seen.getName()));
      }
    }
    assertThat(shown).isEmpty();
  }

  private static boolean isVisible(HasModifiers type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        || type.getModifiers().contains(JavaModifier.PROTECTED);
  }

  @Test
  void shouldKeepFilesAndLocksOutOfThePublishPath() {
    noClasses()
        .that()
        .haveNameMatching("(" + String.join("|", PUBLISH_PATH) + ")(\\$.*)?")
        .should()
        .dependOnClassesThat(
            resideInAPackage("java.io..")
                .or(resideInAPackage("java.nio.."))
                .or(
                    resideInAPackage("java.util.concurrent.locks..")
                        .and(not(belongToAnyOf(LockSupport.class)))))
        .check(CLASSES);
    assertThat(PUBLISH_PATH).allMatch(CLASSES::contain);
  }

  /** Whoever measures reads what publishers count anyway: the ring's cursor and counters. */
  @Test
  void shouldKeepMonitoringOutOfThePublishPath() {
    noClasses()
        .that()
        .haveFullyQualifiedName("io.spillway.PublishGate")
        .or()
        .haveFullyQualifiedName("io.spillway.internal.ring.EventRing")
        .or()
        .haveFullyQualifiedName("io.spillway.internal.ring.Sleeper")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.spillway.metrics..", "io.spillway.internal.metrics..")
                .and(
                    not(
                        belongToAnyOf(
                            Counters.class, DetachedThread.class, LossCause.class, Reports.class)))
                .or(resideInAPackage("io.micrometer.."))
                .or(resideInAPackage("jdk.jfr.."))
                .or(resideInAPackage("javax.management..")))
        .orShould()
        .callMethod(Counters.class, "flightLog")
        .check(CLASSES);
    for (String method : List.of("dropped", "droppedFull", "blocked", "acknowledged")) {
      assertThat(CLASSES.get(Counters.class).getMethods())
          .filteredOn(counted -> counted.getName().equals(method))
          .hasSize(1)
          .flatExtracting(JavaMethod::getMethodCallsFromSelf)
          .as("what a publisher does to count")
          .allMatch(
              call ->
                  call.getTargetOwner().isEquivalentTo(AtomicLong.class)
                      || call.getName().equals("ordinal"));
    }
  }

  /**
   * A striped counter creates a cell when it is contended, and initializes the class of cells the
   * first time: an event would not be counted because memory is short, or never again.
   */
  @Test
  void shouldNeedNoMemoryToCount() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java[.]util[.]concurrent[.]atomic[.](Long|Double)(Adder|Accumulator)")
        .check(CLASSES);
  }

  /** The pause may throw, where the stack ends. */
  @Test
  void shouldGiveBackAnInterruptWhateverIsThrown() {
    List<String> lost = new ArrayList<>();
    int given = 0;
    for (JavaClass type : CLASSES) {
      for (Calls method : Calls.of(type.reflect())) {
        List<Integer> taken = method.named("java/lang/Thread.interrupted");
        List<Integer> back = method.named("java/lang/Thread.interrupt");
        if (taken.isEmpty() || back.isEmpty()) {
          continue;
        }
        given++;
        if (!taken.stream().allMatch(call -> method.isFollowedBy(call, back))) {
          lost.add(type.getSimpleName() + "." + method.name());
        }
      }
    }
    assertThat(given).isGreaterThanOrEqualTo(4);
    assertThat(lost).isEmpty();
  }

  /** No test meets the moment in between, when an event would find none. */
  @Test
  void shouldHaveAGateBeforeLogbackLetsEventsIn() {
    JavaMethod start = CLASSES.get(SpillwayAppender.class).getMethod("start");
    assertThat(
            start.getMethodCallsFromSelf().stream()
                .filter(call -> call.getName().equals("start"))
                .filter(
                    call -> call.getTargetOwner().isEquivalentTo(UnsynchronizedAppenderBase.class)))
        .singleElement()
        .satisfies(
            letsIn ->
                assertThat(start.getFieldAccesses())
                    .filteredOn(access -> access.getName().equals("gate"))
                    .singleElement()
                    .satisfies(
                        set -> assertThat(set.getLineNumber()).isLessThan(letsIn.getLineNumber())));
  }

  @Test
  void shouldNameWhatMayBeMissingInOnePlace() {
    String metrics = "io.spillway.internal.metrics.";
    onlyIn("io.micrometer..", "io.spillway.metrics.SpillwayMeters(\\$.*)?");
    onlyIn("jdk.jfr..", metrics + "Jfr.*");
    onlyIn("javax.management..", metrics + "JmxRegistration(\\$.*)?");
    noClasses()
        .that()
        .haveNameNotMatching(metrics + "(Jfr.*|FlightLog)")
        .should()
        .dependOnClassesThat()
        .haveNameMatching(metrics + "Jfr.*")
        .check(CLASSES);
  }

  private static void onlyIn(String packages, String classes) {
    noClasses()
        .that()
        .haveNameNotMatching(classes)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages)
        .check(CLASSES);
  }

  @Test
  void shouldOnlyUnparkWhenAPublisherWakesTheDrainer() {
    assertThat(
            CLASSES
                .get("io.spillway.internal.ring.Sleeper")
                .getMethod("wake")
                .getMethodCallsFromSelf())
        .extracting(JavaMethodCall::getName)
        .containsExactlyInAnyOrder("get", "compareAndSet", "unpark");
  }

  @Test
  void shouldNeverMapFilesOrSerialize() {
    noClasses()
        .should()
        .callMethod(
            "java.nio.channels.FileChannel",
            "map",
            "java.nio.channels.FileChannel$MapMode",
            "long",
            "long")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectInputStream")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.nio.MappedByteBuffer")
        .check(CLASSES);
  }

  /** Elsewhere a name from a configuration may be one that the locale cannot write, and throws. */
  @Test
  void shouldMakePathsOfNamesInOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.spillway.internal.disk")
        .and()
        .doNotHaveFullyQualifiedName("io.spillway.SpillOpener") // has names of its own
        .should()
        .callMethod(File.class, "toPath")
        .orShould()
        .callMethod(Path.class, "of", String.class, String[].class)
        .orShould()
        .callMethod(Paths.class, "get", String.class, String[].class)
        .check(CLASSES);
  }

  @Test
  void shouldLookUpNoClassByName() {
    noClasses()
        .should()
        .callMethodWhere(
            describe(
                "look a class up by its name",
                call ->
                    call.getTarget().getOwner().isEquivalentTo(Class.class)
                            && call.getName().equals("forName")
                        || call.getTarget().getOwner().isAssignableTo(ClassLoader.class)
                            && call.getName().equals("loadClass")))
        .check(CLASSES);
  }

  private static String packageName(String name) {
    return name.isEmpty() ? "io.spillway" : "io.spillway." + name;
  }
}
