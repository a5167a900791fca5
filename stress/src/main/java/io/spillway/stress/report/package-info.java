/**
 * The figures of a run as records, and the verdict on them.
 *
 * <pre>
 *   Judge ----- verdict, evidence -----.
 *                                      v
 *   LoadFigures, ReadBackFigures --> TrialResult --> RunResult --> result.json --> Comparison (of two)
 *                                                      |
 *                          ResultFiles:                +--> TextTable, MarkdownReport   one table
 *                                                      +--> HtmlPage with report.js     all of it
 *                                                      `--> JunitXml                    for CI
 * </pre>
 *
 * The records are the layout of {@code result.json}, a file for each of its levels with what it
 * holds nested in it; {@code result.schema.json} names every field with its unit. A change to a
 * record raises {@link io.spillway.stress.report.RunResult#SCHEMA}. {@link
 * io.spillway.stress.report.Figure} lists the figures by which trials are compared and shown.
 */
package io.spillway.stress.report;
