/**
 * The appender type {@code spillway} for Dropwizard. Dropwizard finds the type if this artifact is
 * on the class path; {@link io.spillway.dropwizard.SpillwayAppenderFactory} has the settings.
 */
package io.spillway.dropwizard;
