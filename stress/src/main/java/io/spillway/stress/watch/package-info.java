/**
 * Watches a running JVM from outside: which frames hold up how many threads for how long.
 *
 * <pre>
 *              .-- JFR.start --> repository --> JvmRecording --.
 *   Target ----+                                               +--> Tally --> WatchFigures --> Screen
 *   (attach)   `-- Thread.print, once a second --> ThreadDumps-'      |                   `--> watch.json
 *                                                                    `-- WaitRule --> Place
 * </pre>
 *
 * <p>The flight recorder of the target writes every wait, however short, into its repository, and
 * flushes it once a second; the watcher reads the repository meanwhile. The event of a wait comes
 * when the wait ends. Thread dumps show the waits that have not ended, those that began before the
 * watch, and, on JDK 25, those of virtual threads, for which the flight recorder has no park and no
 * monitor events. A sample of a dump that a flight recorder event covers is dropped; every other
 * sample counts from its dump to the next. Calls of sockets and files are events from a millisecond
 * on; a dump shows them as running threads whose innermost frame is such a call.
 *
 * <p>The cost to the target is bounded: if events come too often, {@code JvmRecording} leaves out
 * the most frequent kind, so that dumps alone show it; if dumps take too long, they come less
 * often.
 *
 * <p>What stays in the target: no recording, no agent, no port. No agent is loaded and no
 * management agent is started; the recording ends with the watch, and by its own {@code duration},
 * ten seconds after the watch should have ended, if the watcher is killed. What the JVM sets up at
 * the first attach cannot be undone, not even by {@code jcmd}: the attach listener with its socket
 * file, and the flight recorder, whose threads are idle and whose empty repository directory is
 * removed when the target ends.
 *
 * <p>{@link WaitRule} tells a thread that is held up from one that waits for work.
 */
package io.spillway.stress.watch;
