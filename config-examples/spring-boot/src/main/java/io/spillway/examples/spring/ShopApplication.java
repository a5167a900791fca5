package io.spillway.examples.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.spillway.metrics.SpillwayMeters;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** A shop that accepts orders. */
@SpringBootApplication
public class ShopApplication {
  /** Called by Spring. */
  public ShopApplication() {}

  /** Starts the shop. */
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }

  /** Adds {@code /actuator/metrics/spillway.*} for all Spillway appenders. */
  @Bean
  MeterBinder spillwayMeters() {
    return new SpillwayMeters();
  }
}
