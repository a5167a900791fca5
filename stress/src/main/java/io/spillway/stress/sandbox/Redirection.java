package io.spillway.stress.sandbox;

/**
 * A path of a configuration that leads elsewhere in a trial.
 *
 * @param property its name in the configuration
 * @param from what the configuration says, with all variables put in
 * @param to where it leads
 */
public record Redirection(String property, String from, String to) {}
