package io.spillway.stress.sandbox;

import ch.qos.logback.classic.joran.JoranConfigurator;
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

/** Interprets a configuration as Logback does, with the changes of a {@link Sandbox}. */
final class RedirectingConfigurator extends JoranConfigurator {
  private final Sandbox sandbox;

  RedirectingConfigurator(Sandbox sandbox) {
    this.sandbox = sandbox;
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
          RedirectingConfigurator another = new RedirectingConfigurator(sandbox);
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

  /**
   * Creates an appender as Logback does, or a counting one instead. That gets only the filters, so
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
          && Senders.contain(type, model)
          && sandbox.keepsIn(interpretation.subst(appender.getName()) + " (" + type + ")")) {
        appender.setClassName(CountingAppender.class.getName());
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

    /** Prepares a part before Logback starts it. */
    @Override
    public void postHandle(ModelInterpretationContext interpretation, Model model) {
      sandbox.prepare(part);
      super.postHandle(interpretation, model);
    }
  }

  private static Object top(ModelInterpretationContext interpretation) {
    return interpretation.isObjectStackEmpty() ? null : interpretation.peekObject();
  }
}
