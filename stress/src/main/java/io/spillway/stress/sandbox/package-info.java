/**
 * Runs a user's {@code logback.xml} unchanged, but touches none of the user's files: paths are
 * redirected while Logback interprets the configuration, after it has put in all variables. It also
 * reaches no other process: {@link io.spillway.stress.sandbox.CountingAppender} replaces appenders
 * that would, and {@code Reach} finds them. {@code SpringElements} does what Spring Boot does for
 * its own elements.
 */
package io.spillway.stress.sandbox;
