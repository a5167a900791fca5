/** Appenders that delay and damage events by known amounts, to calibrate the harness. */
package io.spillway.stress.calibrate;
