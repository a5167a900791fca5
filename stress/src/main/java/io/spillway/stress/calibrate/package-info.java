/** An appender that misbehaves on purpose, by known amounts, to calibrate the harness. */
package io.spillway.stress.calibrate;
