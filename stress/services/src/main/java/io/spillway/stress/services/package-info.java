/** Services for tests under load; {@link io.spillway.stress.services.Work} says what they do. */
package io.spillway.stress.services;
