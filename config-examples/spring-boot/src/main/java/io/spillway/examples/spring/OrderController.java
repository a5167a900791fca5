package io.spillway.examples.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Accepts orders, and logs each. */
@RestController
class OrderController {
  private static final Logger LOG = LoggerFactory.getLogger(OrderController.class);

  @PostMapping("/orders/{id}")
  String order(@PathVariable String id, @RequestBody String note) {
    LOG.info("order {} {}", id, note);
    return "accepted";
  }
}
