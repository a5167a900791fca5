/** Code of the forked JVM: open-loop senders across a rotation; and the prefilled file. */
package io.spillway.stress.load;
