/** The command line: options, their checks, and what is printed. */
package io.spillway.stress.cli;
