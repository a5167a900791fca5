/**
 * The rollover stress tester: shows what a Logback configuration does to application threads when
 * its file rotates.
 *
 * <pre>
 *   cli --> plan --> fork --> load --> record --> verify --> report
 *                      |       |
 *                      |       `-- runs in the forked JVM: open-loop senders, rotation watch, JFR
 *                      `---------- runs in the parent: one child a trial, with a deadline
 * </pre>
 *
 * Imports run one way, left to right in the picture: a package may use those to its right. {@code
 * report} holds the figures (records) that the others fill in, and turns them into a table and a
 * JSON file. {@code calibrate} stands alone: an appender that misbehaves by known amounts, so that
 * the harness itself can be shown to see it.
 */
package io.spillway.stress;
