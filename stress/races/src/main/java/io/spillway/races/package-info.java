/**
 * The hand-overs between threads under jcstress: the shipped classes, reached from their own
 * packages. Every outcome is described; a forbidden one fails the run.
 *
 * <p>{@code ./spillway-stress races} runs all of them; {@code ./spillway-stress races -m sanity}
 * runs each for a moment.
 */
package io.spillway.races;
