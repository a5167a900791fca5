/**
 * Access to file systems: the file operations of the spill and the lock of its directory, which
 * file a name from a configuration stands for, what an {@link java.io.IOException} means and what
 * to do about it, and which of the JVM's appenders holds what.
 */
package io.spillway.internal.disk;
