package io.spillway.stress.sandbox;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.joran.spi.RuleStore;
import ch.qos.logback.core.model.AppenderModel;
import ch.qos.logback.core.model.ImplicitModel;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.SiftModel;
import ch.qos.logback.core.model.processor.AppenderModelHandler;
import ch.qos.logback.core.model.processor.DefaultProcessor;
import ch.qos.logback.core.model.processor.ImplicitModelHandler;
import ch.qos.logback.core.model.processor.ModelHandlerException;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import ch.qos.logback.core.sift.AppenderFactoryUsingSiftModel;
import ch.qos.logback.core.sift.SiftModelHandler;
import ch.qos.logback.core.sift.SiftProcessor;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.report.Json;
import java.nio.file.Path;

/**
 * Configures Logback in a forked JVM whose system property names a {@link Sandbox.Spec}; in any
 * other JVM it defers to Logback's own configurators. It interprets the configuration as Logback
 * does, with the changes of the sandbox. Logback finds it as a service, so that already the first
 * logger is in the sandbox.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class SandboxConfigurator extends JoranConfigurator implements Configurator {

  private static final String SANDBOX = Sandbox.class.getName();

  private Sandbox sandbox;

  /** Called by Logback. */
  public SandboxConfigurator() {}

  @Override
  public ExecutionStatus configure(LoggerContext target) {
    setContext(target);
    String file = System.getProperty(Sandbox.Spec.PROPERTY);
    if (file == null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    try {
      sandbox = new Sandbox(Json.read(Path.of(file), Sandbox.Spec.class));
      target.putObject(SANDBOX, sandbox);
      doConfigure(sandbox.spec.configuration());
      Appenders.of(target).forEach(sandbox::requireInside);
      // A scan would reload a changed configuration without the sandbox.
      target.getCopyOfScheduledFutures().forEach(scan -> scan.cancel(false));
    } catch (Exception | LinkageError e) { // an appender may lack what its jar needs
      // If it were rethrown, Logback would print it and continue with its own configurators.
      addError("Logback itself gives up on it", e);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Returns the sandbox of a context, or null if this class did not configure the context. */
  static Sandbox of(LoggerContext context) {
    return (Sandbox) context.getObject(SANDBOX);
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
    modelInterpretationContext.setConfiguratorSupplier(
        () -> {
          SandboxConfigurator another = new SandboxConfigurator();
          another.sandbox = sandbox;
          another.setContext(context);
          return another;
        });
  }

  @Override
  protected void addModelHandlerAssociations(DefaultProcessor processor) {
    SpringElements.addHandler(processor, sandbox); // before the super method seals the filters
    super.addModelHandlerAssociations(processor);
    processor.addHandler(SiftModel.class, (context, m) -> new Sift(context));
    redirect(processor);
  }

  /** Adds the handlers that the separate processor of a sift element needs, too. */
  private void redirect(DefaultProcessor processor) {
    processor.addHandler(AppenderModel.class, (context, m) -> new Appending(context));
    processor.addHandler(ImplicitModel.class, Implicit::new);
  }

  private static Object top(ModelInterpretationContext interpretation) {
    return interpretation.isObjectStackEmpty() ? null : interpretation.peekObject();
  }

  /**
   * Creates an appender as Logback does, or a silent one instead. That gets only the filters, so
   * that neither the original nor its encoder has to be on the class path.
   */
  private final class Appending extends AppenderModelHandler<ILoggingEvent> {
    Appending(Context context) {
      super(context);
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      AppenderModel appender = (AppenderModel) model;
      String type = interpretation.getImport(appender.getClassName());
      if (type != null
          && SilentAppender.replaces(type, model)
          && sandbox.keepsIn(interpretation.subst(appender.getName()) + " (" + type + ")")) {
        appender.setClassName(SilentAppender.class.getName());
        model.getSubModels().removeIf(sub -> !"filter".equalsIgnoreCase(sub.getTag()));
      }
      super.handle(interpretation, model);
    }

    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      sandbox.requireInside(top(interpretation)); // before it starts
      super.postHandle(interpretation, model);
    }
  }

  /** Redirects the content of a sift element, which Logback interprets again for each value. */
  private final class Sift extends SiftModelHandler {
    Sift(Context context) {
      super(context);
    }

    @Override
    @SuppressWarnings("unchecked") // Logback's handler accepts only such an appender
    public void handle(ModelInterpretationContext interpretation, Model model)
        throws ModelHandlerException {
      super.handle(interpretation, model);
      if (top(interpretation) instanceof SiftingAppenderBase<?> sifting) {
        String key = sifting.getDiscriminatorKey();
        sandbox.note(sifting.getName() + " sifts by " + key + " (--mdc " + key + "=VALUE)");
        ((SiftingAppenderBase<ILoggingEvent>) sifting)
            .setAppenderFactory(
                new AppenderFactoryUsingSiftModel<>(interpretation, model, key) {
                  @Override
                  public SiftProcessor<ILoggingEvent> getSiftingModelProcessor(String value) {
                    SiftProcessor<ILoggingEvent> processor = super.getSiftingModelProcessor(value);
                    redirect(processor);
                    return processor;
                  }

                  @Override
                  public Appender<ILoggingEvent> buildAppender(Context context, String value)
                      throws JoranException {
                    Appender<ILoggingEvent> appender = super.buildAppender(context, value);
                    sandbox.requireInside(appender);
                    return appender;
                  }
                });
      }
    }
  }

  /** Sets properties as Logback does, with the values of the sandbox. */
  private final class Implicit extends ImplicitModelHandler {
    private static final String LISTENER = "archiveListener";
    private Object part;

    Implicit(Context context, ModelInterpretationContext interpretation) {
      super(context, interpretation.getBeanDescriptionCache());
    }

    @Override
    public void handle(ModelInterpretationContext interpretation, Model model) {
      Object owner = top(interpretation);
      // An archive listener would treat archives of a trial as the application's.
      model
          .getSubModels()
          .removeIf(sub -> LISTENER.equals(sub.getTag()) && sandbox.keepsIn(LISTENER));
      super.handle(interpretation, changed(interpretation, owner, model));
      part = top(interpretation) == owner ? null : top(interpretation);
    }

    private Model changed(ModelInterpretationContext interpretation, Object owner, Model model) {
      if (model.getBodyText() == null || !model.getSubModels().isEmpty()) {
        return model;
      }
      String value = interpretation.subst(model.getBodyText()).trim();
      Model changed = new ImplicitModel();
      changed.setTag(model.getTag());
      changed.setLineNumber(model.getLineNumber());
      changed.addText(sandbox.changed(owner, model.getTag(), value));
      return changed.getBodyText().equals(value) ? model : changed;
    }

    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model) {
      sandbox.prepare(part); // before Logback starts it
      super.postHandle(interpretation, model);
    }
  }
}
