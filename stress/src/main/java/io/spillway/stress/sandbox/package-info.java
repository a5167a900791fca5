/**
 * Runs a user's {@code logback.xml} unchanged, but touches none of the user's files: paths are
 * redirected while Logback interprets the configuration, after it has substituted all variables. By
 * default no other process is reached: {@link io.spillway.stress.sandbox.SilentAppender} replaces
 * the appenders that would reach one.
 */
package io.spillway.stress.sandbox;
