/** Forks one JVM per trial, with a deadline: started, watched, dumped and killed if it hangs. */
package io.spillway.stress.fork;
