/** The figures of a run as records, the verdict on them, the table and the JSON file. */
package io.spillway.stress.report;
