package io.spillway.stress.sandbox;

import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.model.ConfigurationModel;
import ch.qos.logback.classic.model.PropertiesConfiguratorModel;
import ch.qos.logback.classic.model.processor.ConfigurationModelHandlerFull;
import ch.qos.logback.classic.model.processor.PropertiesConfiguratorModelHandler;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.joran.ParamModelHandler;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.joran.spi.RuleStore;
import ch.qos.logback.core.model.AppenderModel;
import ch.qos.logback.core.model.ImplicitModel;
import ch.qos.logback.core.model.IncludeModel;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.ParamModel;
import ch.qos.logback.core.model.PropertyModel;
import ch.qos.logback.core.model.SerializeModelModel;
import ch.qos.logback.core.model.SiftModel;
import ch.qos.logback.core.model.TimestampModel;
import ch.qos.logback.core.model.processor.AppenderModelHandler;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ImplicitModelHandler;
import ch.qos.logback.core.model.processor.IncludeModelHandler;
import ch.qos.logback.core.model.processor.ModelHandlerException;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import ch.qos.logback.core.model.processor.NOPModelHandler;
import ch.qos.logback.core.model.processor.PropertyModelHandler;
import ch.qos.logback.core.model.processor.TimestampModelHandler;
import ch.qos.logback.core.sift.AppenderFactoryUsingSiftModel;
import ch.qos.logback.core.sift.SiftModelHandler;
import ch.qos.logback.core.sift.SiftProcessor;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import ch.qos.logback.core.spi.PropertyDefiner;
import ch.qos.logback.core.status.ErrorStatus;
import ch.qos.logback.core.util.CachingDateFormatter;
import java.util.List;

/**
 * Interprets a configuration as Logback does, except that every output path leads into the sandbox,
 * and input paths are resolved against the application's directory.
 */
final class RedirectingConfigurator extends JoranConfigurator {
  private static final List<String> OWN =
      List.of("ch.qos.logback.", "io.spillway.Spillway", "io.spillway.rolling.", "net.logstash.");

  private static final String MAX_FILE_SIZE = "maxFileSize";

  private final SandboxSession session;

  RedirectingConfigurator(SandboxSession session) {
    this.session = session;
  }

  @Override
  public void addElementSelectorAndActionAssociations(RuleStore rules) {
    super.addElementSelectorAndActionAssociations(rules);
    SpringElements.addRules(rules);
  }

  /** Also sets a supplier of configurators, because included files may have the same elements. */
  @Override
  public void buildModelInterpretationContext() {
    super.buildModelInterpretationContext();
    // The application's directory; those of a probe and a trial differ.
    modelInterpretationContext.addSubstitutionProperty("user.dir", session.fromHome(""));
    try {
      modelInterpretationContext.setConfiguratorSupplier(this::another);
    } catch (NoSuchMethodError e) {
      return; // a Logback before 1.5.7 reads included files with this configurator
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
    try {
      Levels.addTo(processor, session);
    } catch (NoClassDefFoundError e) {
      return; // a Logback before 1.5.8 has no such element
    }
  }

  /** Adds the handlers that the separate processor of a sift element needs, too. */
  private static void redirect(DefaultProcessor processor, SandboxSession session) {
    processor.addHandler(PropertyModel.class, (context, m) -> new Property(context, session));
    processor.addHandler(AppenderModel.class, (context, m) -> new Appending(context, session));
    processor.addHandler(
        ImplicitModel.class,
        (context, interpretation) -> new Implicit(context, interpretation, session));
    processor.addHandler(
        ParamModel.class, (context, interpretation) -> new Param(context, interpretation, session));
    processor.addHandler(TimestampModel.class, (context, m) -> new Timestamp(context));
  }

  /** Turns scanning off, as Logback would reload a changed configuration without the sandbox. */
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

  /** Resolves the path of an included file against the application's directory. */
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

  /**
   * Resolves the path of a file of levels against the application's directory; turns its scanning
   * off.
   */
  private static final class Levels extends PropertiesConfiguratorModelHandler {
    private final SandboxSession session;

    private Levels(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    static void addTo(DefaultProcessor processor, SandboxSession session) {
      processor.addHandler(
          PropertiesConfiguratorModel.class, (context, m) -> new Levels(context, session));
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      PropertiesConfiguratorModel levels = (PropertiesConfiguratorModel) model;
      levels.setScanStr(null);
      if (levels.getFile() != null) {
        levels.setFile(session.fromHome(interpretation.subst(levels.getFile())));
      }
      super.handle(interpretation, model);
    }
  }

  /** Resolves the path of a file of properties against the application's directory. */
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
   * Creates an appender as Logback does; if its events would reach another process, a counting one
   * instead. The replacement gets only the filters, so that neither the original nor its encoder
   * has to be on the class path.
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

    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      if (!interpretation.isObjectStackEmpty()) {
        session.requireInside(interpretation.peekObject()); // before it starts
      }
      super.postHandle(interpretation, model);
    }
  }

  /** Redirects the content of a sift element, which Logback interprets again for each value. */
  private static final class Sift extends SiftModelHandler {
    private final SandboxSession session;

    Sift(Context context, SandboxSession session) {
      super(context);
      this.session = session;
    }

    @Override
    @SuppressWarnings("unchecked") // Logback's handler accepts only such an appender
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
                    try {
                      Appender<ILoggingEvent> appender = super.buildAppender(context, value);
                      session.made(appender);
                      return appender;
                    } catch (SandboxSession.Outside e) {
                      context.getStatusManager().add(new ErrorStatus(e.getMessage(), this));
                      throw new JoranException(e.getMessage(), e);
                    }
                  }
                });
      }
    }
  }

  /** Uses one time in all JVMs of a run, so that files named after a time have the same names. */
  private static final class Timestamp extends TimestampModelHandler {
    Timestamp(Context context) {
      super(context);
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      super.handle(interpretation, model);
      TimestampModel timestamp = (TimestampModel) model;
      if (timestamp.getKey() != null && timestamp.getDatePattern() != null) {
        interpretation.addSubstitutionProperty(
            timestamp.getKey(),
            new CachingDateFormatter(timestamp.getDatePattern())
                .format(SandboxConfigurator.moment()));
      }
    }
  }

  /** Returns the changed value of a property, or null if the configured value stays. */
  private static String changed(
      ModelInterpretationContext interpretation,
      SandboxSession session,
      String name,
      String configured) {
    Object owner = interpretation.isObjectStackEmpty() ? null : interpretation.peekObject();
    // A class outside these libraries may use any names for its paths.
    boolean unknown =
        owner != null && OWN.stream().noneMatch(owner.getClass().getName()::startsWith);
    if (Sandbox.isPath(name, configured) || unknown && Sandbox.isOutput(name, configured)) {
      return owner instanceof PropertyDefiner // it writes nothing
          ? session.fromHome(configured)
          : session.redirect(name, configured);
    }
    return owner != null && name.equalsIgnoreCase(MAX_FILE_SIZE)
        ? session.maxFileSize(owner, configured)
        : null;
  }

  /** Changes properties in the notation of log4j 1, {@code <param>}. */
  private static final class Param extends ParamModelHandler {
    private final SandboxSession session;

    Param(Context context, ModelInterpretationContext interpretation, SandboxSession session) {
      super(context, interpretation.getBeanDescriptionCache());
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      ParamModel param = (ParamModel) model;
      String name = interpretation.subst(param.getName());
      String value = interpretation.subst(param.getValue());
      String changed =
          name == null || value == null
              ? null
              : changed(interpretation, session, name, value.trim());
      super.handle(interpretation, changed == null ? model : Properties.with(model, changed));
    }
  }

  /** Access to the element of a property in either notation. */
  static final class Properties {
    private Properties() {}

    static String name(Model model) {
      return model instanceof ParamModel param ? param.getName() : model.getTag();
    }

    static String value(Model model) {
      return model instanceof ParamModel param ? param.getValue() : model.getBodyText();
    }

    /** Returns a copy of the element with another value. */
    static Model with(Model original, String value) {
      Model changed;
      if (original instanceof ParamModel param) {
        ParamModel other = new ParamModel();
        other.setName(param.getName());
        other.setValue(value);
        changed = other;
      } else {
        changed = new ImplicitModel();
        changed.addText(value);
      }
      changed.setTag(original.getTag());
      changed.setLineNumber(original.getLineNumber());
      return changed;
    }
  }

  /** Sets properties as Logback does, except that paths lead into the sandbox. */
  static final class Implicit extends ImplicitModelHandler {
    private static final String ARCHIVE_LISTENER = "archiveListener";
    private static final String TOTAL_SIZE_CAP = "totalSizeCap";

    private final SandboxSession session;

    Implicit(Context context, ModelInterpretationContext interpretation, SandboxSession session) {
      super(context, interpretation.getBeanDescriptionCache());
      this.session = session;
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      Model handled = model;
      if (model.getBodyText() != null && model.getSubModels().isEmpty()) {
        String value = interpretation.subst(model.getBodyText()).trim();
        String changed = changed(interpretation, session, model.getTag(), value);
        handled = changed == null ? model : Properties.with(model, changed);
      }
      leaveListenersOut(interpretation, model.getSubModels());
      makeRoom(interpretation, model);
      super.handle(interpretation, handled);
    }

    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model) {
      if (!interpretation.isObjectStackEmpty()) { // before it starts
        session.requireInside(interpretation.peekObject());
        if (!model.getSubModels().isEmpty()) {
          session.maxIndex(interpretation.peekObject());
        }
      }
      super.postHandle(interpretation, model);
    }

    /** Removes archive listeners, which would treat archives of a trial as the application's. */
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

    /** Raises {@code totalSizeCap} if needed: archives deleted by retention would count as lost. */
    private void makeRoom(ModelInterpretationContext interpretation, Model policy) {
      List<Model> properties = policy.getSubModels();
      for (int i = 0; i < properties.size(); i++) {
        Model property = properties.get(i);
        if (is(TOTAL_SIZE_CAP, property)) {
          String cap = interpretation.subst(Properties.value(property)).trim();
          String size = interpretation.subst(maxFileSize(policy));
          properties.set(i, Properties.with(property, session.totalSizeCap(cap, size)));
        }
      }
    }

    /**
     * Returns the {@code maxFileSize} of a policy or of an element nested in it; null if there is
     * none.
     */
    private static String maxFileSize(Model policy) {
      for (Model property : policy.getSubModels()) {
        String size =
            is(MAX_FILE_SIZE, property) ? Properties.value(property) : maxFileSize(property);
        if (size != null) {
          return size.trim();
        }
      }
      return null;
    }

    private static boolean is(String name, Model property) {
      return name.equalsIgnoreCase(Properties.name(property)) && Properties.value(property) != null;
    }
  }
}
