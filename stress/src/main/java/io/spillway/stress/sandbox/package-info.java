/**
 * Runs a user's {@code logback.xml} unchanged, but touches none of the user's files: paths are
 * redirected while Logback interprets the configuration, after it has substituted all variables. By
 * default no other process is reached: {@code Senders} recognizes appenders, and {@link
 * io.spillway.stress.sandbox.CountingAppender} replaces those that would reach one. {@code
 * SpringElements} handles Spring Boot's elements.
 */
package io.spillway.stress.sandbox;
