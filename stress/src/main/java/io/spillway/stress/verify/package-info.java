/** The log lines of a trial, and reading every file back to account for each of them. */
package io.spillway.stress.verify;
