package io.spillway.dropwizard;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes orders, and logs each. */
@Path("/orders/{id}")
@Produces(MediaType.TEXT_PLAIN)
public class OrderResource {
  private static final Logger LOG = LoggerFactory.getLogger(OrderResource.class);

  @POST
  public String order(@PathParam("id") String id) {
    LOG.info("order {}", id);
    return answer(id);
  }

  /** Of a length that differs from one order to the next, as it is in the request log. */
  static String answer(String id) {
    return "y".repeat(1 + Math.floorMod(id.hashCode(), 97));
  }
}
