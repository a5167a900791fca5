package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the packages may use, and what the publish path may not. */
class ArchitectureTest {
  /** Each package uses only those behind it. */
  private static final List<String> ORDER =
      List.of(
          "",
          "internal.flow",
          "internal.sink",
          "internal.spill",
          "internal.codec",
          "rolling",
          "internal.compress",
          "archive",
          "internal.disk",
          "internal.metrics",
          "metrics");

  private static final List<String> PUBLISH_PATH =
      List.of(
          "io.spillway.PublishGate",
          "io.spillway.Acknowledgement",
          "io.spillway.internal.flow.Backoff",
          "io.spillway.internal.flow.EventRing",
          "io.spillway.internal.flow.Sleeper",
          "io.spillway.internal.flow.Receipt");

  static {
    ((Logger) LoggerFactory.getLogger("com.tngtech.archunit")).setLevel(Level.WARN); // it chatters
  }

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.spillway");

  /** The two packages of metrics know each other: figures are public, counters are not. */
  @Test
  void shouldImportOneWayOnly() {
    for (int i = 1; i < ORDER.size() - 1; i++) {
      String[] earlier =
          ORDER.subList(0, i).stream().map(ArchitectureTest::packageName).toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(packageName(ORDER.get(i)))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(earlier)
          .check(CLASSES);
    }
    classes()
        .that()
        .resideInAPackage("io.spillway..")
        .should()
        .resideInAnyPackage(
            ORDER.stream().map(ArchitectureTest::packageName).toArray(String[]::new))
        .check(CLASSES);
  }

  private static String packageName(String name) {
    return name.isEmpty() ? "io.spillway" : "io.spillway." + name;
  }

  /** Whoever uses the library sees nothing of its inner parts, so these may change. */
  @Test
  void shouldShowNoInternalTypeInAnExportedSignature() {
    for (JavaClass type : CLASSES) {
      if (!type.getPackageName().contains(".internal") && isVisible(type)) {
        Stream<JavaClass> shown =
            Stream.concat(
                Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream()),
                type.getMembers().stream()
                    .filter(ArchitectureTest::isVisible)
                    .filter(member -> !member.getName().equals("<init>")) // SpillwayMetrics
                    .flatMap(member -> member.getAllInvolvedRawTypes().stream()));
        assertThat(shown)
            .as(type.getName())
            .noneMatch(seen -> seen.getPackageName().startsWith("io.spillway.internal"));
      }
    }
  }

  private static boolean isVisible(HasModifiers type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        || type.getModifiers().contains(JavaModifier.PROTECTED);
  }

  @Test
  void shouldKeepFilesAndLocksOutOfThePublishPath() {
    assertThat(PUBLISH_PATH).allMatch(CLASSES::contain);
    noClasses()
        .that()
        .haveNameMatching("(" + String.join("|", PUBLISH_PATH) + ")(\\$.*)?")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("java.io..", "java.nio..")
                .or(
                    resideInAPackage("java.util.concurrent.locks..")
                        .and(not(belongToAnyOf(LockSupport.class)))))
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("io.spillway.metrics..", "io.spillway.internal.metrics..")
                .and(not(belongToAnyOf(Counters.class, LossCause.class, Reports.class))))
        .check(CLASSES);
  }

  @Test
  void shouldOnlyUnparkWhenAPublisherWakesAThread() {
    assertThat(
            CLASSES
                .get("io.spillway.internal.flow.Sleeper")
                .getMethod("wake")
                .getMethodCallsFromSelf())
        .extracting(JavaMethodCall::getName)
        .containsExactlyInAnyOrder("get", "compareAndSet", "unpark");
  }

  @Test
  void shouldNeverMapFilesOrSerialize() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java[.](io[.]Object(In|Out)putStream|nio[.]MappedByteBuffer)")
        .check(CLASSES);
  }

  @Test
  void shouldLookUpNoClassByName() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("io.spillway.internal.metrics.Environment")
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

  @Test
  void shouldConstructWithFiveArgumentsAtMost() {
    assertThat(CLASSES)
        .filteredOn(type -> !type.isRecord())
        .flatExtracting(JavaClass::getConstructors)
        .allSatisfy(made -> assertThat(made.getRawParameterTypes()).hasSizeLessThanOrEqualTo(5));
  }
}
