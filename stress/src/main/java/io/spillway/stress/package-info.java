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
 * report} holds the figures (records) that the others fill in, turns them into a table, a JSON file
 * and what is made from it (a page, Markdown, JUnit XML), and compares two such files. {@code
 * sandbox}, between {@code fork} and {@code load}, lets a forked JVM run a user's own configuration
 * without touching the user's logs. {@code watch}, between {@code cli} and {@code plan}, looks into
 * a running JVM instead of forking one. {@code service}, to the left of it, puts small services
 * under load and watches them meanwhile. {@code calibrate} stands alone: an appender that
 * misbehaves by known amounts, so that the harness itself can be shown to see it.
 */
package io.spillway.stress;
