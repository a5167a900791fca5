/**
 * Access to file systems: how a name from a configuration becomes a path, how a directory's names
 * survive a power cut, what an {@link java.io.IOException} of a write means and what to do about
 * it, in the language of the system, and which of the JVM's appenders holds what.
 */
package io.spillway.internal.disk;
