package io.spillway.rolling;

import io.spillway.compress.ArchiveSettings;

/**
 * What a policy stands on once its settings are checked.
 *
 * @param pattern names of archives
 * @param places where they lie
 * @param settings of compression
 * @param shared with other policies on the pattern
 * @param claim to the names
 */
record Site(
    ArchivePattern pattern,
    Places places,
    ArchiveSettings settings,
    SharedNames shared,
    NameClaim claim) {}
