package io.spillway.stress.report;

/**
 * Time under one frame of the stacks, summed over threads.
 *
 * @param frame class and method
 * @param events number of waits or samples
 * @param threadSeconds their sum
 */
public record Frame(String frame, long events, double threadSeconds) {}
