package io.spillway.stress.sandbox;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.model.ImplicitModel;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.model.processor.ImplicitModelHandler;
import ch.qos.logback.core.model.processor.ModelInterpretationContext;
import java.util.Set;

/** Sets properties as Logback does, except that paths lead into the sandbox. */
final class RedirectingHandler extends ImplicitModelHandler {
  private static final String MAX_FILE_SIZE = "maxFileSize";
  private static final Set<String> OF_SPRING_BOOT = Set.of("springProfile", "springProperty");

  private final SandboxSession session;

  RedirectingHandler(
      Context context, ModelInterpretationContext interpretation, SandboxSession session) {
    super(context, interpretation.getBeanDescriptionCache());
    this.session = session;
  }

  @Override
  public void handle(ModelInterpretationContext interpretation, Model model) {
    if (OF_SPRING_BOOT.contains(model.getTag())) {
      addError(
          "<"
              + model.getTag()
              + "> is Spring Boot's own, and Logback does not know it; put in its place what is in"
              + " force in your application, <property> for <springProperty>");
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
