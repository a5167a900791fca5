/**
 * Services for tests under load. The forked JVM of a trial starts one of them and gives it the log
 * whose calls it measures; {@link io.spillway.stress.services.Work} says what a request does.
 */
package io.spillway.stress.services;
