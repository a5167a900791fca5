package io.spillway.stress.report;

import java.util.List;

/**
 * All figures of one trial. Those of steps that were not reached are null.
 *
 * @param name the trial
 * @param repeat which repeat, from 1
 * @param role why it was run
 * @param description one line for readers
 * @param configuration the logback.xml, verbatim
 * @param childCommand the command line of the forked JVM
 * @param load what the child measured
 * @param parks waits of application threads inside logging
 * @param pauses what the JVM itself stopped
 * @param readBack what the files hold
 * @param verdict what the trial has shown
 * @param reasons why the verdict is not {@code passed}
 */
public record TrialResult(
    String name,
    int repeat,
    Role role,
    String description,
    String configuration,
    List<String> childCommand,
    LoadFigures load,
    ParkFigures parks,
    PauseFigures pauses,
    ReadBackFigures readBack,
    Verdict verdict,
    List<String> reasons) {}
