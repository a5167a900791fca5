/**
 * Services for tests under load, which use requests, threads and a log as applications do.
 *
 * <pre>
 *   Child (main, of the harness) --> Services --> TomcatServer --> PriceApi, PushFront, Ingest
 *                 |                      `------> PingService                    Dropwizard
 *                 `--> ServiceLog, which measures every log call
 * </pre>
 *
 * <p>{@link io.spillway.stress.services.Work} holds the settings of what a service does, so that a
 * scenario's trials differ in settings only.
 */
package io.spillway.stress.services;
