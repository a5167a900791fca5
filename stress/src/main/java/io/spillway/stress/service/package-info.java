/**
 * Services under load: how a log, locks and size affect a service.
 *
 * <pre>
 *   ServiceRun, one trial after the other
 *     |-- ServiceJvm    the application, with its server's class path      stress/services
 *     |-- LoadClient    requests at due times or in a closed loop, in a separate JVM
 *     |-- watch         which frames hold up its threads                   io.spillway.stress.watch
 *     `-- judge()       limits --> verdict --> result.json, report.md
 * </pre>
 */
package io.spillway.stress.service;
