package io.spillway.stress.report;

import java.util.List;

/**
 * Everything that reading the files back has shown.
 *
 * @param conservation events sent against events found
 * @param prefill the prefilled lines as found
 * @param prefillIntact whether they are exactly the lines that were written before the trial
 * @param files every file found, in the order in which they were read
 */
public record ReadBackFigures(
    Conservation conservation,
    PrefillFigures prefill,
    boolean prefillIntact,
    List<FileFigures> files) {}
