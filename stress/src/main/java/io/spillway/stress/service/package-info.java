/** Services under load by HTTP: the requests, and what they have shown. */
package io.spillway.stress.service;
