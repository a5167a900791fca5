package io.spillway.stress.sandbox;

import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.model.ConfigurationModel;
import ch.qos.logback.classic.model.processor.ConfigurationModelHandlerFull;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.model.ImplicitModel;
import ch.qos.logback.core.model.IncludeModel;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.PropertyModel;
import ch.qos.logback.core.model.SerializeModelModel;
import ch.qos.logback.core.model.SiftModel;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ImplicitModelHandler;
import ch.qos.logback.core.model.processor.IncludeModelHandler;
import ch.qos.logback.core.model.processor.ModelHandlerBase;
import ch.qos.logback.core.model.processor.ModelHandlerException;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import ch.qos.logback.core.model.processor.NOPModelHandler;
import ch.qos.logback.core.model.processor.PropertyModelHandler;
import java.util.Set;

/**
 * Interprets a configuration as Logback does, except that everything it writes is in the sandbox,
 * and that what it reads is looked for where the application would.
 */
final class RedirectingConfigurator extends JoranConfigurator {
  private final SandboxSession session;

  RedirectingConfigurator(SandboxSession session) {
    this.session = session;
  }

  @Override
  protected void addModelHandlerAssociations(DefaultProcessor processor) {
    super.addModelHandlerAssociations(processor);
    processor.addHandler(ConfigurationModel.class, (context, m) -> new Unscanned(context));
    processor.addHandler(IncludeModel.class, (context, m) -> new Include(context, session));
    processor.addHandler(PropertyModel.class, (context, m) -> new Property(context, session));
    processor.addHandler(SiftModel.class, (context, m) -> new Refused(context));
    processor.addHandler(SerializeModelModel.class, NOPModelHandler::makeInstance);
    processor.addHandler(
        ImplicitModel.class,
        (context, interpretation) -> new Implicit(context, interpretation, session));
  }

  /** A configuration that is read again when it changes would be so without a sandbox. */
  private static final class Unscanned extends ConfigurationModelHandlerFull {
    Unscanned(Context context) {
      super(context);
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      ((ConfigurationModel) model).setScanStr(null);
      super.handle(interpretation, model);
    }
  }

  /** Finds a file that is included. */
  private static final class Include extends IncludeModelHandler {
    private final SandboxSession session;

    Include(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      IncludeModel include = (IncludeModel) model;
      if (include.getFile() != null) {
        include.setFile(session.fromHome(interpretation.subst(include.getFile())));
      }
      super.handle(interpretation, model);
    }
  }

  /** Finds a file of properties. */
  private static final class Property extends PropertyModelHandler {
    private final SandboxSession session;

    Property(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      PropertyModel property = (PropertyModel) model;
      if (property.getFile() != null) {
        property.setFile(session.fromHome(interpretation.subst(property.getFile())));
      }
      super.handle(interpretation, model);
    }
  }

  /** Logback interprets what is in a sift element anew for each value, by itself. */
  private static final class Refused extends ModelHandlerBase {
    Refused(Context context) {
      super(context);
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      addError(
          "Line "
              + model.getLineNumber()
              + ": the files of a <sift> element cannot be kept in the sandbox; replace the"
              + " SiftingAppender by the appender that is in it");
      model.markAsSkipped();
      model.getSubModels().forEach(Model::markAsSkipped);
    }
  }

  /** Sets properties as Logback does, except that paths lead into the sandbox. */
  static final class Implicit extends ImplicitModelHandler {
    private static final String MAX_FILE_SIZE = "maxFileSize";
    private static final Set<String> OF_SPRING_BOOT = Set.of("springProfile", "springProperty");

    private final SandboxSession session;

    Implicit(Context context, ModelInterpretationContext interpretation, SandboxSession session) {
      super(context, interpretation.getBeanDescriptionCache());
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      if (OF_SPRING_BOOT.contains(model.getTag())) {
        addError(
            "<"
                + model.getTag()
                + "> is Spring Boot's own, and Logback does not know it; put in its place what is"
                + " in force in your application, <property> for <springProperty>");
        model.markAsSkipped();
        model.getSubModels().forEach(Model::markAsSkipped);
        return;
      }
      Model handled = model;
      if (model.getBodyText() != null && model.getSubModels().isEmpty()) {
        String name = model.getTag();
        String value = interpretation.subst(model.getBodyText()).trim();
        if (Sandbox.isPath(name, value)) {
          handled = with(model, session.redirect(name, value));
        } else if (name.equalsIgnoreCase(MAX_FILE_SIZE) && !interpretation.isObjectStackEmpty()) {
          handled = with(model, session.maxFileSize(interpretation.peekObject(), value));
        }
      }
      super.handle(interpretation, handled);
    }

    private static Model with(Model original, String body) {
      ImplicitModel changed = new ImplicitModel();
      changed.setTag(original.getTag());
      changed.setLineNumber(original.getLineNumber());
      changed.addText(body);
      return changed;
    }
  }
}
