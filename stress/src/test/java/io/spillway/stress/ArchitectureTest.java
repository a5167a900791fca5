package io.spillway.stress;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final List<String> LEFT_TO_RIGHT =
      List.of(
          "cli", "watch", "plan", "service", "fork", "sandbox", "load", "record", "verify",
          "report");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.spillway");

  @Test
  void shouldImportFromLeftToRightOnly() {
    for (int right = 1; right < LEFT_TO_RIGHT.size(); right++) {
      for (int left = 0; left < right; left++) {
        noClasses()
            .that(resideInAPackage(name(right)))
            .should()
            .dependOnClassesThat(resideInAPackage(name(left)))
            .check(CLASSES);
      }
    }
  }

  @Test
  void shouldKeepTheCalibrationAppenderApart() {
    for (String other : LEFT_TO_RIGHT) {
      String name = "io.spillway.stress." + other + "..";
      noClasses()
          .that(resideInAPackage("io.spillway.stress.calibrate.."))
          .should()
          .dependOnClassesThat(resideInAPackage(name))
          .check(CLASSES);
      noClasses()
          .that(resideInAPackage(name))
          .should()
          .dependOnClassesThat(resideInAPackage("io.spillway.stress.calibrate.."))
          .check(CLASSES);
    }
  }

  /**
   * Objects that belong together come as one, a record; the constants of an enum are a table. The
   * rule is for all modules on the class path, the appender included.
   */
  @Test
  void shouldConstructWithFiveArgumentsAtMost() {
    assertThat(CLASSES.contain("io.spillway.SpillwayAppender")).isTrue();
    List<String> longer =
        CLASSES.stream()
            .filter(type -> !type.isRecord() && !type.isEnum())
            .flatMap(type -> type.getConstructors().stream())
            .filter(constructor -> constructor.getRawParameterTypes().size() > most(constructor))
            .map(JavaConstructor::getFullName)
            .toList();
    assertThat(longer).isEmpty();
  }

  /** The first parameter of an inner class is its outer instance. */
  private static int most(JavaConstructor constructor) {
    return constructor.getOwner().isInnerClass() ? 6 : 5;
  }

  private static String name(int position) {
    return "io.spillway.stress." + LEFT_TO_RIGHT.get(position) + "..";
  }
}
