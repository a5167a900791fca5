/**
 * The figures of a run as records, and the verdict based on them.
 *
 * <pre>
 *   Judge ------ verdict, evidence ----.
 *                                      v
 *   LoadFigures, ReadBackFigures --> TrialResult --> RunResult --> result.json
 *                                                      |
 *                          ResultFiles:                +--> TextTable, MarkdownReport   one table
 *                                                      +--> ReportPage, HeldUpChart     all of it
 *                                                      `--> JunitXml                    for CI
 * </pre>
 *
 * The records define the layout of {@code result.json}. {@link io.spillway.stress.report.Figure}
 * lists the figures by which trials are compared and shown.
 */
package io.spillway.stress.report;
