/** What a run consists of, in which order, with which files; carries it out. */
package io.spillway.stress.plan;
