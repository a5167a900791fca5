/** The command line: options, scenarios that stand for them, their checks, and what is printed. */
package io.spillway.stress.cli;
