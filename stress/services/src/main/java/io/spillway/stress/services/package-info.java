/**
 * Services for tests under load, which use requests, threads and a log as applications do.
 *
 * <pre>
 *   Service (main) --> TomcatServer --> PriceApi, PushFront, Ingest    requests, by kind
 *          |     `---> PingService                                     Dropwizard
 *          `--> Control: port, figures and stop, over standard input and output
 *                 ^
 *   EventLog -----'    every log call, counted
 * </pre>
 *
 * <p>{@link io.spillway.stress.services.Work} holds the settings of what a service does, so that a
 * scenario's trials differ in settings only.
 */
package io.spillway.stress.services;
