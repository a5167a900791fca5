/**
 * Hand-overs between threads under jcstress. The tests use the shipped classes and live in the
 * packages of those classes. Every outcome is described; a forbidden one fails the run.
 *
 * <p>{@code ./spillway-stress races} runs all of them; {@code ./spillway-stress races -m sanity}
 * runs each only briefly, to check that it works.
 */
package io.spillway.races;
