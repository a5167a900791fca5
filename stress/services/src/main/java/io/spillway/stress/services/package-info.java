/**
 * Services to put under load: what an application does with its requests, its threads and its log.
 *
 * <pre>
 *   Service (main) --> TomcatServer --> PriceApi, PushFront, Ingest    requests, by kind
 *          |     `---> PingService                                     Dropwizard
 *          `--> Control: port, figures and stop, over standard input and output
 *                 ^
 *   EventLog -----'    every log call, counted
 * </pre>
 *
 * <p>What a service does is said by {@link io.spillway.stress.services.Work}, so that a scenario's
 * trials differ in data alone.
 */
package io.spillway.stress.services;
