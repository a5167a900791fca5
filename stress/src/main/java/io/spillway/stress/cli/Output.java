package io.spillway.stress.cli;

import java.io.PrintStream;

/**
 * Where to print.
 *
 * @param out results and progress
 * @param terminal whether a person sees it as it is printed
 */
record Output(PrintStream out, boolean terminal) {}
