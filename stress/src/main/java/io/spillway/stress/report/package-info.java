/**
 * The figures of a run as records, and the verdict based on them.
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
 * The records define the layout of {@code result.json}; each of its levels has one Java file, with
 * the records that it contains nested in it; {@code result.schema.json} names every field with its
 * unit. A change to a record raises {@link io.spillway.stress.report.RunResult#SCHEMA}. {@link
 * io.spillway.stress.report.Figure} lists the figures by which trials are compared and shown.
 */
package io.spillway.stress.report;
