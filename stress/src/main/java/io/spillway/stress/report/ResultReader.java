package io.spillway.stress.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a {@code result.json} again. */
public final class ResultReader {

  private static final String FAMILY = "spillway-stress/";

  private ResultReader() {}

  /**
   * Reads a result.
   *
   * @throws UnreadableResultException if it is none, or has another layout; says which and what to
   *     do
   */
  public static RunResult read(Path file) {
    if (!Files.isRegularFile(file)) {
      String what = Files.isDirectory(file) ? " is a directory" : " does not exist";
      throw new UnreadableResultException(file + what + "; name the result.json of a run");
    }
    try {
      JsonNode tree = Json.read(file, JsonNode.class);
      String schema = tree.path("schema").asText();
      if (!schema.startsWith(FAMILY)) {
        throw noResult(file, "it has no field \"schema\" that begins with " + FAMILY);
      }
      if (!schema.equals(RunResult.SCHEMA)) {
        throw new UnreadableResultException(
            file
                + " has the layout "
                + schema
                + ", but this version reads "
                + RunResult.SCHEMA
                + " only; run it again with this version, or compare with the version that wrote"
                + " both");
      }
      return Json.read(file, RunResult.class);
    } catch (JsonProcessingException e) {
      throw noResult(file, e.getOriginalMessage());
    } catch (IOException e) {
      throw new UnreadableResultException(file + " cannot be read: " + e);
    }
  }

  private static UnreadableResultException noResult(Path file, String why) {
    return new UnreadableResultException(
        file + " is not the result.json of a run: " + why + "; name one that a run wrote");
  }
}
