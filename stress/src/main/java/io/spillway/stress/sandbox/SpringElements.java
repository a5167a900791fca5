package io.spillway.stress.sandbox;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.joran.action.ActionUtil;
import ch.qos.logback.core.joran.action.BaseModelAction;
import ch.qos.logback.core.joran.spi.ElementSelector;
import ch.qos.logback.core.joran.spi.RuleStore;
import ch.qos.logback.core.joran.spi.SaxEventInterpretationContext;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.NamedModel;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ModelHandlerBase;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import java.util.Set;
import java.util.function.Predicate;
import org.xml.sax.Attributes;

/**
 * Handles Spring Boot's elements without Spring: {@code <springProfile>} keeps its content if one
 * of the profiles is active, and {@code <springProperty>} sets a variable to a property of the
 * application.
 */
final class SpringElements {
  private static final String PROFILE = "springProfile";
  private static final String PROPERTY = "springProperty";

  /** The profile that is active if no profile is named. */
  private static final Set<String> DEFAULT = Set.of("default");

  private SpringElements() {}

  static void addRules(RuleStore rules) {
    rules.addRule(new ElementSelector("*/" + PROPERTY), PropertyAction::new);
    rules.addRule(new ElementSelector("*/" + PROFILE), ProfileAction::new);
    rules.addTransparentPathPart(PROFILE);
  }

  /** Adds the handlers; must be called before the processor's filters are sealed. */
  static void addHandlers(DefaultProcessor processor, SandboxSession session) {
    processor.addHandler(
        PropertyModel.class, (context, m) -> new PropertyHandler(context, session));
    processor.addHandler(ProfileModel.class, (context, m) -> new ProfileHandler(context, session));
  }

  /**
   * Returns whether a profile expression holds: names with {@code !}, {@code &}, {@code |} and
   * parentheses; of several expressions, separated by commas, one must hold.
   *
   * @throws IllegalArgumentException if it is no expression
   */
  static boolean accepts(String expressions, Set<String> profiles) {
    Set<String> active = profiles.isEmpty() ? DEFAULT : profiles;
    boolean any = false;
    for (String expression : expressions.split(",")) {
      any |= new Expression(expression, active::contains).holds();
    }
    return any;
  }

  /** Parser of an expression, from left to right; {@code &} binds closer than {@code |}. */
  private static final class Expression {
    private final String text;
    private final Predicate<String> active;
    private int at;

    Expression(String text, Predicate<String> active) {
      this.text = text.replaceAll("\\s", "");
      this.active = active;
    }

    boolean holds() {
      boolean value = or();
      if (at < text.length()) {
        throw new IllegalArgumentException("what is [" + text.substring(at) + "]");
      }
      return value;
    }

    private boolean or() {
      boolean value = and();
      while (skip('|')) {
        value |= and();
      }
      return value;
    }

    private boolean and() {
      boolean value = one();
      while (skip('&')) {
        value &= one();
      }
      return value;
    }

    private boolean one() {
      if (skip('!')) {
        return !one();
      }
      if (skip('(')) {
        boolean value = or();
        if (!skip(')')) {
          throw new IllegalArgumentException("a parenthesis is not closed");
        }
        return value;
      }
      int start = at;
      while (at < text.length() && "!&|()".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      if (at == start) {
        throw new IllegalArgumentException("a profile's name is missing");
      }
      return active.test(text.substring(start, at));
    }

    private boolean skip(char c) {
      boolean there = at < text.length() && text.charAt(at) == c;
      at += there ? 1 : 0;
      return there;
    }
  }

  /** {@code <springProfile>}. */
  private static final class ProfileModel extends NamedModel {
    private static final long serialVersionUID = 1;

    @Override
    protected NamedModel makeNewInstance() {
      return new ProfileModel();
    }
  }

  /** {@code <springProperty>}. */
  private static final class PropertyModel extends NamedModel {
    private static final long serialVersionUID = 1;
    private String source;
    private String defaultValue;
    private String scope;

    @Override
    protected NamedModel makeNewInstance() {
      return new PropertyModel();
    }

    @Override
    protected void mirror(Model that) {
      super.mirror(that);
      PropertyModel other = (PropertyModel) that;
      source = other.source;
      defaultValue = other.defaultValue;
      scope = other.scope;
    }
  }

  /** Reads {@code <springProfile>}. */
  private static final class ProfileAction extends BaseModelAction {
    @Override
    protected Model buildCurrentModel(
        SaxEventInterpretationContext context, String element, Attributes attributes) {
      ProfileModel model = new ProfileModel();
      model.setName(attributes.getValue("name"));
      return model;
    }
  }

  /** Reads {@code <springProperty>}. */
  private static final class PropertyAction extends BaseModelAction {
    @Override
    protected Model buildCurrentModel(
        SaxEventInterpretationContext context, String element, Attributes attributes) {
      PropertyModel model = new PropertyModel();
      model.setName(attributes.getValue("name"));
      model.source = attributes.getValue("source");
      model.defaultValue = attributes.getValue("defaultValue");
      model.scope = attributes.getValue("scope");
      return model;
    }
  }

  private static final class ProfileHandler extends ModelHandlerBase {
    private final SandboxSession session;

    ProfileHandler(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      String name = ((ProfileModel) model).getName();
      String expressions = name == null ? "" : interpretation.subst(name);
      try {
        if (!accepts(expressions, session.profiles())) {
          model.deepMarkAsSkipped();
        }
      } catch (IllegalArgumentException e) {
        addError(
            "Line "
                + model.getLineNumber()
                + ": <springProfile name=\""
                + expressions
                + "\"> cannot be read, "
                + e.getMessage());
        model.deepMarkAsSkipped();
      }
    }
  }

  private static final class PropertyHandler extends ModelHandlerBase {
    private final SandboxSession session;

    PropertyHandler(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    /** Takes the application's properties from system properties, which {@code --property} sets. */
    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      PropertyModel property = (PropertyModel) model;
      if (property.getName() == null || property.source == null) {
        addError("Line " + model.getLineNumber() + ": <springProperty> needs a name and a source");
        return;
      }
      String given = System.getProperty(property.source);
      String value =
          given == null && property.defaultValue != null
              ? interpretation.subst(property.defaultValue)
              : given;
      if (value == null) {
        session.withoutValue(property.source);
        return;
      }
      switch (ActionUtil.stringToScope(property.scope)) {
        case CONTEXT -> getContext().putProperty(property.getName(), value);
        case SYSTEM -> System.setProperty(property.getName(), value);
        default -> interpretation.addSubstitutionProperty(property.getName(), value);
      }
    }
  }
}
