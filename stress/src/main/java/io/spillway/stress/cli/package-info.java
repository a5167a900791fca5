/**
 * The command line: options, scenarios that replace them, their checks, and the printed results.
 */
package io.spillway.stress.cli;
