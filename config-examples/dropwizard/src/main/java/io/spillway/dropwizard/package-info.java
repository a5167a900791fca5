/**
 * The appender type {@code spillway} for Dropwizard. This artifact on the class path is all it
 * takes; {@link io.spillway.dropwizard.SpillwayAppenderFactory} has the settings.
 */
package io.spillway.dropwizard;
