/**
 * The figures of a run as records, and the verdict on them.
 *
 * <pre>
 *   RunResult --> result.json --> ResultReader --> Comparison (of two)
 *       |
 *       +--> TextTable, report.md (Headline)     the same table
 *       +--> report.html (HtmlPage, report.js)   shows what the JSON holds, and nothing else
 *       `--> junit.xml
 * </pre>
 *
 * The records are the layout of {@code result.json}; {@code result.schema.json} beside them names
 * every field with its unit. Whoever changes a record raises {@link
 * io.spillway.stress.report.RunResult#SCHEMA}.
 */
package io.spillway.stress.report;
