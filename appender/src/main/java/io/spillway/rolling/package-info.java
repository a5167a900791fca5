/**
 * Rolling policies in place of Logback's, which they extend: patterns, settings, periods, counters
 * and retention are Logback's own. A rollover is one rename; the rest is done in the background.
 */
package io.spillway.rolling;
