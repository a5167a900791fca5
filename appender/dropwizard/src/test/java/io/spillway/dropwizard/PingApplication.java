package io.spillway.dropwizard;

import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Environment;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** Does next to nothing for a request, so that the request log weighs as much as it can. */
public class PingApplication extends Application<Configuration> {
  public static void main(String[] arguments) throws Exception {
    new PingApplication().run(arguments);
  }

  @Override
  public void run(Configuration configuration, Environment environment) {
    environment.jersey().register(new Ping());
  }

  /** {@code GET /ping}. */
  @Path("/ping")
  @Produces(MediaType.TEXT_PLAIN)
  public static class Ping {
    @GET
    public String ping() {
      return "pong";
    }
  }
}
