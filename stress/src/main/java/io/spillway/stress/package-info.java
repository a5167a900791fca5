/**
 * The rollover stress tester: shows what a Logback configuration does to application threads when
 * its file rotates.
 *
 * <pre>
 *   cli --> plan --> fork --> load --> record --> verify --> report
 *                      |       |
 *                      |       `-- runs in the forked JVM: open-loop senders, rotation watch, JFR
 *                      `---------- runs in the parent: one child per trial, with a deadline
 * </pre>
 *
 * A package imports only packages to its right in the picture. {@code report} holds the figures
 * (records) that the other packages fill in, turns them into a table, a JSON file and what is made
 * from that file (a page, Markdown, JUnit XML). {@code sandbox}, between {@code fork} and {@code
 * load}, lets a forked JVM run a user's own configuration without touching the user's logs. {@code
 * watch}, between {@code cli} and {@code plan}, observes a running JVM instead of forking one.
 * {@code service}, between {@code plan} and {@code fork}, puts small services under load. {@code
 * calibrate} imports no other package: its appender delays and damages events by known amounts,
 * which proves that the harness measures both.
 */
package io.spillway.stress;
