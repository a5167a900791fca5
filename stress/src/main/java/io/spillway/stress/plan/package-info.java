/**
 * Plans and executes a run: its trials, their order and their files.
 *
 * <pre>
 *   Trials, UserConfiguration --> Trial, at a size ------------------.
 *   RunOptions ------------------------------------------------------+--> Run
 *                                                                        |-- Estimate: time and room
 *                                                                        |-- RunDirectory: files, which
 *                                                                        |     a cancellation deletes
 *                                                                        `-- TrialRunner, a trial:
 *                                                 Site --> forked JVM --> recording, files --> verdict
 * </pre>
 */
package io.spillway.stress.plan;
