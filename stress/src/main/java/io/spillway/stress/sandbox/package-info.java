/**
 * Runs a stranger's {@code logback.xml} as it is, except that no file of his is touched: paths are
 * redirected while Logback interprets the configuration, after it has put in all variables.
 */
package io.spillway.stress.sandbox;
