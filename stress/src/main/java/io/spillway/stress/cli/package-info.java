/** The command line: options, scenarios that replace them, checks, and the printed results. */
package io.spillway.stress.cli;
