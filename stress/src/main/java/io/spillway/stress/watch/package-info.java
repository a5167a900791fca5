/** Watches a running JVM: which threads wait, under which frame, and for how long. */
package io.spillway.stress.watch;
