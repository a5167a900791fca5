/** Runs real applications in separate JVMs under HTTP load, and reads the logs that they leave. */
package io.spillway.examples.testkit;
