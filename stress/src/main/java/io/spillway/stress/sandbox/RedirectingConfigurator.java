package io.spillway.stress.sandbox;

import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.model.ConfigurationModel;
import ch.qos.logback.classic.model.processor.ConfigurationModelHandlerFull;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.joran.spi.RuleStore;
import ch.qos.logback.core.model.AppenderModel;
import ch.qos.logback.core.model.ImplicitModel;
import ch.qos.logback.core.model.IncludeModel;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.PropertyModel;
import ch.qos.logback.core.model.SerializeModelModel;
import ch.qos.logback.core.model.SiftModel;
import ch.qos.logback.core.model.processor.AppenderModelHandler;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ImplicitModelHandler;
import ch.qos.logback.core.model.processor.IncludeModelHandler;
import ch.qos.logback.core.model.processor.ModelHandlerException;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import ch.qos.logback.core.model.processor.NOPModelHandler;
import ch.qos.logback.core.model.processor.PropertyModelHandler;
import ch.qos.logback.core.sift.AppenderFactoryUsingSiftModel;
import ch.qos.logback.core.sift.SiftModelHandler;
import ch.qos.logback.core.sift.SiftProcessor;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import java.util.List;

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
  public void addElementSelectorAndActionAssociations(RuleStore rules) {
    super.addElementSelectorAndActionAssociations(rules);
    SpringElements.addRules(rules);
  }

  /** What is included may have the same elements. */
  @Override
  public void buildModelInterpretationContext() {
    super.buildModelInterpretationContext();
    try {
      modelInterpretationContext.setConfiguratorSupplier(this::another);
    } catch (NoSuchMethodError e) {
      return; // a Logback before 1.5.7 reads what is included by this configurator itself
    }
  }

  private RedirectingConfigurator another() {
    RedirectingConfigurator another = new RedirectingConfigurator(session);
    another.setContext(context);
    return another;
  }

  @Override
  protected void addModelHandlerAssociations(DefaultProcessor processor) {
    SpringElements.addHandlers(processor, session);
    super.addModelHandlerAssociations(processor);
    processor.addHandler(ConfigurationModel.class, (context, m) -> new Unscanned(context));
    processor.addHandler(IncludeModel.class, (context, m) -> new Include(context, session));
    processor.addHandler(SiftModel.class, (context, m) -> new Sift(context, session));
    processor.addHandler(SerializeModelModel.class, NOPModelHandler::makeInstance);
    redirect(processor, session);
  }

  /** What is the same within an element that Logback interprets by itself. */
  private static void redirect(DefaultProcessor processor, SandboxSession session) {
    processor.addHandler(PropertyModel.class, (context, m) -> new Property(context, session));
    processor.addHandler(AppenderModel.class, (context, m) -> new Appending(context, session));
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

  /**
   * Makes an appender as Logback does, unless its events would reach another process: then they are
   * counted instead. What it would have been given but its filters is left out, so that neither it
   * nor its encoder has to be on the class path.
   */
  private static final class Appending extends AppenderModelHandler<ILoggingEvent> {
    private static final String FILTER = "filter";
    private final SandboxSession session;

    Appending(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      AppenderModel appender = (AppenderModel) model;
      String type = interpretation.getImport(appender.getClassName());
      Reach reach = type == null ? Reach.LOCAL : Reach.of(type, model);
      boolean counted = session.counts(reach);
      if (counted) {
        appender.setClassName(CountingAppender.class.getName());
        model.getSubModels().removeIf(sub -> !FILTER.equalsIgnoreCase(sub.getTag()));
      }
      super.handle(interpretation, model);
      if (!model.isSkipped()) {
        session.reaches(reach, interpretation.subst(appender.getName()) + " (" + type + ")");
      }
    }
  }

  /** Logback interprets what is in a sift element anew for each value. */
  private static final class Sift extends SiftModelHandler {
    private final SandboxSession session;

    Sift(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    @SuppressWarnings("unchecked") // Logback's own handler has let only such an appender through
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      super.handle(interpretation, model);
      if (interpretation.peekObject() instanceof SiftingAppenderBase<?> sifting) {
        ((SiftingAppenderBase<ILoggingEvent>) sifting)
            .setAppenderFactory(
                new AppenderFactoryUsingSiftModel<>(
                    interpretation, model, sifting.getDiscriminatorKey()) {
                  @Override
                  public SiftProcessor<ILoggingEvent> getSiftingModelProcessor(String value) {
                    SiftProcessor<ILoggingEvent> processor = super.getSiftingModelProcessor(value);
                    redirect(processor, session);
                    return processor;
                  }

                  @Override
                  public Appender<ILoggingEvent> buildAppender(Context context, String value)
                      throws JoranException {
                    Appender<ILoggingEvent> appender = super.buildAppender(context, value);
                    session.limit(appender);
                    return appender;
                  }
                });
      }
    }
  }

  /** Sets properties as Logback does, except that paths lead into the sandbox. */
  static final class Implicit extends ImplicitModelHandler {
    private static final List<String> OWN =
        List.of("ch.qos.logback.", "io.spillway.Spillway", "io.spillway.rolling.", "net.logstash.");
    private static final String ARCHIVE_LISTENER = "archiveListener";
    private static final String TOTAL_SIZE_CAP = "totalSizeCap";
    private static final String MAX_FILE_SIZE = "maxFileSize";

    private final SandboxSession session;

    Implicit(Context context, ModelInterpretationContext interpretation, SandboxSession session) {
      super(context, interpretation.getBeanDescriptionCache());
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      Model handled = model;
      if (model.getBodyText() != null && model.getSubModels().isEmpty()) {
        String name = model.getTag();
        String value = interpretation.subst(model.getBodyText()).trim();
        if (Sandbox.isPath(name, value)
            || isOfUnknown(interpretation) && Sandbox.isOutput(name, value)) {
          handled = with(model, session.redirect(name, value));
        } else if (name.equalsIgnoreCase(MAX_FILE_SIZE) && !interpretation.isObjectStackEmpty()) {
          handled = with(model, session.maxFileSize(interpretation.peekObject(), value));
        }
      }
      leaveListenersOut(interpretation, model.getSubModels());
      makeRoom(interpretation, model.getSubModels(), hasSize(model));
      super.handle(interpretation, handled);
    }

    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model) {
      if (!model.getSubModels().isEmpty() && !interpretation.isObjectStackEmpty()) {
        session.maxIndex(interpretation.peekObject()); // before it starts
      }
      super.postHandle(interpretation, model);
    }

    /** Of nobody's that is known here, so that its properties may have any names. */
    private static boolean isOfUnknown(ModelInterpretationContext interpretation) {
      return !interpretation.isObjectStackEmpty()
          && OWN.stream().noneMatch(interpretation.peekObject().getClass().getName()::startsWith);
    }

    /** They would take archives of a trial for those of the application. */
    private void leaveListenersOut(
        ModelInterpretationContext interpretation, List<Model> properties) {
      for (Model property : List.copyOf(properties)) {
        if (ARCHIVE_LISTENER.equalsIgnoreCase(property.getTag())) {
          String type = interpretation.subst(((ImplicitModel) property).getClassName());
          session.reaches(
              Reach.NETWORK, ARCHIVE_LISTENER + " (" + interpretation.getImport(type) + ")");
          if (session.counts(Reach.NETWORK)) {
            properties.remove(property);
          }
        }
      }
    }

    private static boolean hasSize(Model model) {
      return model.getSubModels().stream()
          .anyMatch(sub -> MAX_FILE_SIZE.equalsIgnoreCase(sub.getTag()) || hasSize(sub));
    }

    /** Archives that are deleted as too many would seem lost. */
    private void makeRoom(
        ModelInterpretationContext interpretation, List<Model> properties, boolean sized) {
      for (int i = 0; i < properties.size(); i++) {
        Model property = properties.get(i);
        if (TOTAL_SIZE_CAP.equalsIgnoreCase(property.getTag()) && property.getBodyText() != null) {
          String cap = interpretation.subst(property.getBodyText()).trim();
          properties.set(i, with(property, session.totalSizeCap(cap, sized)));
        }
      }
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
