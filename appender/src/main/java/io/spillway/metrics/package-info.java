/** What happened to every event, by state and by cause: counters, status messages, JMX. */
package io.spillway.metrics;
