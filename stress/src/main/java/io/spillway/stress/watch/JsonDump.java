package io.spillway.stress.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads what {@code Thread.dump_to_file -format=json} writes on JDK 25: virtual threads, too. */
final class JsonDump {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What the name of a hidden class ends in. */
  private static final Pattern HIDDEN = Pattern.compile("/0x[0-9a-f]+");

  private JsonDump() {}

  static List<ThreadSample> parse(Path file) throws IOException {
    List<ThreadSample> threads = new ArrayList<>();
    JsonNode dump = MAPPER.readTree(file.toFile()).path("threadDump");
    for (JsonNode container : dump.path("threadContainers")) {
      for (JsonNode thread : container.path("threads")) {
        if (thread.hasNonNull("state")) {
          threads.add(thread(thread));
        }
      }
    }
    return threads;
  }

  private static ThreadSample thread(JsonNode thread) {
    List<Frame> stack = new ArrayList<>();
    thread.path("stack").forEach(line -> stack.add(frame(line.asText())));
    Set<String> owns = new HashSet<>();
    for (JsonNode depth : thread.path("monitorsOwned")) {
      depth.path("locks").forEach(lock -> owns.add(lock.asText()));
    }
    owns.remove(thread.path("waitingOn").asText());
    return new ThreadSample(
        thread.path("tid").asLong(),
        thread.path("name").asText(),
        Thread.State.valueOf(thread.path("state").asText()),
        stack,
        thread.path("blockedOn").asText(null),
        owns);
  }

  /** {@code loader/module/type.method(source)}; loader and module may be missing. */
  private static Frame frame(String line) {
    int end = line.indexOf('(');
    String qualified = HIDDEN.matcher(end < 0 ? line : line.substring(0, end)).replaceAll("");
    return Frame.of(qualified.substring(qualified.lastIndexOf('/') + 1));
  }
}
