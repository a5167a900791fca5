/**
 * Runs a stranger's {@code logback.xml} as it is, except that no file of his is touched: paths are
 * redirected while Logback interprets the configuration, after it has put in all variables. Nor is
 * another process reached: {@link io.spillway.stress.sandbox.CountingAppender} stands for what
 * would, as {@code Reach} tells. {@code SpringElements} does what Spring Boot does for its own
 * elements.
 */
package io.spillway.stress.sandbox;
