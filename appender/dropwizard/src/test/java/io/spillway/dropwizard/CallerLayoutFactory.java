package io.spillway.dropwizard;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.dropwizard.logging.common.layout.DiscoverableLayoutFactory;
import java.util.TimeZone;

/**
 * {@code layout: {type: caller}} prints the method that logged, and has no pattern that says so.
 */
@JsonTypeName("caller")
public final class CallerLayoutFactory implements DiscoverableLayoutFactory<ILoggingEvent> {
  @Override
  public LayoutBase<ILoggingEvent> build(LoggerContext context, TimeZone timeZone) {
    return new LayoutBase<>() {
      @Override
      public String doLayout(ILoggingEvent event) {
        return event.getCallerData()[0].getMethodName() + " " + event.getFormattedMessage() + "\n";
      }
    };
  }
}
