package io.spillway;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Imports run one way, and the publish path cannot reach anything that waits. */
class ArchitectureTest {
  /** In the order in which events pass; each may use only those after it. */
  private static final List<String> ORDER =
      List.of(
          "io.spillway",
          "ring",
          "route",
          "spill",
          "codec",
          "sink",
          "rolling",
          "compress",
          "metrics");

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

  @Test
  void shouldKeepFilesAndLocksOutOfThePublishPath() {
    noClasses()
        .that()
        .haveFullyQualifiedName("io.spillway.ring.EventRing")
        .should()
        .dependOnClassesThat(
            resideInAPackage("java.io..")
                .or(resideInAPackage("java.nio.."))
                .or(resideInAPackage("java.util.concurrent.locks..")))
        .check(CLASSES);
  }

  @Test
  void shouldOnlyUnparkWhenAPublisherWakesTheDrainer() {
    assertThat(CLASSES.get("io.spillway.ring.Sleeper").getMethod("wake").getMethodCallsFromSelf())
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

  private static String packageName(String name) {
    return name.contains(".") ? name : "io.spillway." + name;
  }
}
