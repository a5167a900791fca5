package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** PROMISES.md: each promise is held by tests that exist, and of which CI runs one. */
class PromisesTest {
  private static final Path PAGE = Path.of("PROMISES.md");
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:#(\\w+))?`");
  private static final int PROMISES = 26;

  static Stream<String> rows() throws IOException {
    return Files.readAllLines(PAGE).stream().filter(line -> line.matches("[|] [-\\d]+ [|].*"));
  }

  @Test
  void shouldNumberThemFromOneOn() throws IOException {
    List<Integer> numbers = new ArrayList<>();
    for (String row : rows().toList()) {
      String[] range = row.split(" *[|] *")[1].split("-"); // 7, or 4-6 for one test of three
      IntStream.rangeClosed(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]))
          .forEach(numbers::add);
    }
    assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, PROMISES).boxed().toList());
  }

  /**
   * Its tests have a short form, as the page says, and .ci/run has at least one of each promise.
   */
  @ParameterizedTest
  @MethodSource("rows")
  void shouldBeHeldByTestsThatExistAndRun(String row) throws Exception {
    Matcher named = TEST.matcher(row.split(" *[|] *")[3]);
    int tests = 0;
    boolean inCi = false;
    while (named.find()) {
      tests++;
      List<Set<String>> tags = tagsOf(named.group(1), named.group(2));
      assertThat(tags).as(named.group()).anyMatch(each -> !each.contains("full"));
      inCi |= tags.stream().anyMatch(PromisesTest::isSelectedInCi);
    }
    assertThat(tests).isPositive();
    assertThat(inCi).as("one of them is quick, or has the tag gate").isTrue();
  }

  private static boolean isSelectedInCi(Set<String> tags) {
    return !tags.contains("full") && (!tags.contains("slow") || tags.contains("gate"));
  }

  /** Those of each test method of a class, or of one; what only the long form enables is full. */
  private static List<Set<String>> tagsOf(String test, String method) throws Exception {
    List<Path> sources = find(test, TESTS);
    assertThat(sources).as(test).hasSize(1);
    String name =
        TESTS.relativize(sources.get(0)).toString().replace(".java", "").replace('/', '.');
    Class<?> type = Class.forName(name, false, PromisesTest.class.getClassLoader());
    List<Method> methods =
        ReflectionSupport.findMethods(
            type,
            each ->
                AnnotationSupport.isAnnotated(each, Testable.class)
                    && (method == null || each.getName().equals(method)),
            HierarchyTraversalMode.TOP_DOWN);
    assertThat(methods).as("%s#%s", name, method).isNotEmpty();
    return methods.stream().map(each -> tagsOf(type, each)).toList();
  }

  private static Set<String> tagsOf(AnnotatedElement... elements) {
    Set<String> tags = new HashSet<>();
    for (AnnotatedElement element : elements) {
      AnnotationSupport.findRepeatableAnnotations(element, Tag.class)
          .forEach(tag -> tags.add(tag.value()));
      AnnotationSupport.findRepeatableAnnotations(element, net.jqwik.api.Tag.class)
          .forEach(tag -> tags.add(tag.value()));
      if (AnnotationSupport.isAnnotated(element, EnabledIfSystemProperty.class)) {
        tags.add("full");
      }
    }
    return tags;
  }

  /** A class or method of another name would drop out of the last stage without a word. */
  @Test
  void shouldFindWhatCiNamesForTheNewerJdk() throws Exception {
    String script = Files.readString(Path.of("..", ".ci", "run"));
    Matcher array = Pattern.compile("(?s)newer=\\((.*?)\n\\)").matcher(script);
    assertThat(array.find()).isTrue();
    String names = array.group(1).replaceAll("#.*", "").replaceAll("['!]", "");
    for (String name : names.trim().split("\\s+")) {
      if (name.contains("/")) {
        assertThat(Path.of("src/test/java", name).getParent()).isDirectory();
        continue;
      }
      String[] parts = name.split("#");
      List<Path> sources = new ArrayList<>(find(parts[0], TESTS));
      sources.addAll(find(parts[0], Path.of("..", "stress").resolve(TESTS)));
      assertThat(sources).as(name).isNotEmpty();
      String source = Files.readString(sources.get(0));
      for (String method : parts.length == 1 ? new String[0] : parts[1].split("[+]")) {
        assertThat(source).as(name).containsPattern("void " + method.replace("*", "\\w*") + "\\(");
      }
    }
  }

  private static List<Path> find(String test, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.endsWith(test + ".java")).toList();
    }
  }
}
