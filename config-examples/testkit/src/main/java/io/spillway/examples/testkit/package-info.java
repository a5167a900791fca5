/** Real applications in JVMs of their own, real HTTP load, and what they leave in their logs. */
package io.spillway.examples.testkit;
