package io.spillway.stress.sandbox;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.joran.action.BaseModelAction;
import ch.qos.logback.core.joran.spi.ElementSelector;
import ch.qos.logback.core.joran.spi.RuleStore;
import ch.qos.logback.core.joran.spi.SaxEventInterpretationContext;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.PropertyModel;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import ch.qos.logback.core.model.processor.PropertyModelHandler;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.xml.sax.Attributes;

/**
 * Handles Spring Boot's elements without Spring: {@code <springProfile>} keeps its content if one
 * of the profiles is active, and {@code <springProperty>} sets a variable to a property of the
 * application, which {@code --property} gives as system property.
 */
final class SpringElements {
  private static final String PROFILE = "springProfile";
  private static final Pattern INNERMOST = Pattern.compile("\\(([^()]*)\\)");
  private static final String HOLDS = "+"; // in place of an expression that was in parentheses
  private static final String HOLDS_NOT = "-";

  private SpringElements() {}

  static void addRules(RuleStore rules) {
    rules.addRule(new ElementSelector("*/springProperty"), Reader::new);
    rules.addRule(new ElementSelector("*/" + PROFILE), Reader::new);
    rules.addTransparentPathPart(PROFILE);
  }

  /** Adds the handler; must be called before the processor's filters are sealed. */
  static void addHandler(DefaultProcessor processor, Sandbox sandbox) {
    processor.addHandler(Element.class, (context, m) -> new Handler(context, sandbox));
  }

  /**
   * Returns whether a profile expression holds: names with {@code !}, {@code &}, {@code |} and
   * parentheses; of several expressions, separated by commas, one must hold.
   */
  static boolean accepts(String expression, Set<String> profiles) {
    Matcher inner = INNERMOST.matcher(expression);
    if (inner.find()) {
      boolean holds = accepts(inner.group(1), profiles);
      return accepts(inner.replaceFirst(holds ? HOLDS : HOLDS_NOT), profiles);
    }
    return Stream.of(expression.split("[,|]"))
        .anyMatch(any -> Stream.of(any.split("&")).allMatch(name -> isActive(name, profiles)));
  }

  private static boolean isActive(String name, Set<String> profiles) {
    String profile = name.strip();
    return profile.startsWith("!")
        ? !isActive(profile.substring(1), profiles)
        : profile.equals(HOLDS) || profiles.contains(profile);
  }

  /** An element: the source of a property is kept as resource, its default as value. */
  private static final class Element extends PropertyModel {
    private static final long serialVersionUID = 1;

    @Override
    protected PropertyModel makeNewInstance() {
      return new Element();
    }
  }

  private static final class Reader extends BaseModelAction {
    @Override
    protected Model buildCurrentModel(
        SaxEventInterpretationContext context, String tag, Attributes attributes) {
      Element element = new Element();
      element.setName(attributes.getValue("name"));
      element.setResource(attributes.getValue("source"));
      element.setValue(attributes.getValue("defaultValue"));
      element.setScopeStr(attributes.getValue("scope"));
      return element;
    }
  }

  private static final class Handler extends PropertyModelHandler {
    private final Sandbox sandbox;

    Handler(Context context, Sandbox sandbox) {
      super(context);
      this.sandbox = sandbox;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      Element element = (Element) model;
      if (PROFILE.equals(model.getTag())) {
        Set<String> profiles = sandbox.spec.profiles();
        String expression = interpretation.subst(String.valueOf(element.getName()));
        if (!accepts(expression, profiles.isEmpty() ? Set.of("default") : profiles)) {
          model.deepMarkAsSkipped();
        }
        return;
      }
      String source = String.valueOf(element.getResource());
      String value = System.getProperty(source, element.getValue());
      if (value == null) {
        sandbox.note("no value for " + source + " (--property " + source + "=VALUE)");
        return;
      }
      element.setResource(null);
      element.setValue(value);
      super.handle(interpretation, model);
    }
  }
}
