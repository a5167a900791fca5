package io.spillway.stress.report;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a run as JUnit XML, one test case per trial, for pipelines that gate on it by the rules of
 * the exit code: a violation by a subject is a failure, and a trial that leaves the run in doubt is
 * an error. A violation by a peer does not fail the run, and a peer's possible violation while the
 * machine stalled leaves no doubt; both are skipped test cases whose message says what was seen.
 */
final class JunitXml {

  private static final String SUITE = "spillway-stress";

  private JunitXml() {}

  /**
   * A test case.
   *
   * @param doubt whether its trial leaves the run in doubt
   */
  private record Case(
      TrialResult.Role role,
      String name,
      Double seconds,
      Judge.Verdict verdict,
      boolean doubt,
      List<String> reasons) {

    /** Returns the name of the XML element for the outcome, or null if the test case passed. */
    private String outcome() {
      return switch (verdict) {
        case PASSED -> null;
        case INCONCLUSIVE -> doubt ? "error" : "skipped";
        case VIOLATED -> role == TrialResult.Role.SUBJECT ? "failure" : "skipped";
      };
    }
  }

  static void write(Path file, RunResult run) throws IOException {
    List<Case> cases =
        run.trials().stream()
            .map(
                trial ->
                    new Case(
                        trial.role(),
                        trial.label(),
                        trial.load() == null
                            ? null
                            : trial.load().loadSeconds() + trial.load().stopSeconds(),
                        trial.verdict(),
                        RunResult.leavesDoubt(trial),
                        trial.reasons()))
            .toList();
    write(file, run.seconds(), run.startedAt(), cases);
  }

  static void write(Path file, ServiceResult run) throws IOException {
    List<Case> cases =
        run.trials().stream()
            .map(
                trial ->
                    new Case(
                        trial.role(),
                        trial.name(),
                        null,
                        trial.verdict(),
                        trial.verdict() == Judge.Verdict.INCONCLUSIVE,
                        trial.reasons()))
            .toList();
    write(file, run.seconds(), run.startedAt(), cases);
  }

  private static void write(Path file, double seconds, String startedAt, List<Case> cases)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      XMLStreamWriter xml =
          XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out, "UTF-8");
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("testsuite");
      attribute(xml, "name", SUITE);
      attribute(xml, "tests", Integer.toString(cases.size()));
      attribute(xml, "failures", count(cases, "failure"));
      attribute(xml, "errors", count(cases, "error"));
      attribute(xml, "skipped", count(cases, "skipped"));
      attribute(xml, "time", seconds(seconds));
      attribute(xml, "timestamp", startedAt);
      for (Case trial : cases) {
        write(xml, trial);
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IOException(file + " cannot be written", e);
    }
  }

  private static void write(XMLStreamWriter xml, Case trial) throws XMLStreamException {
    xml.writeStartElement("testcase");
    attribute(xml, "classname", SUITE + "." + trial.role());
    attribute(xml, "name", trial.name());
    if (trial.seconds() != null) {
      attribute(xml, "time", seconds(trial.seconds()));
    }
    String outcome = trial.outcome();
    if (outcome != null) {
      List<String> reasons = trial.reasons();
      xml.writeStartElement(outcome);
      attribute(
          xml, "message", reasons.isEmpty() ? "" : reasons.get(0).lines().findFirst().orElse(""));
      if (!outcome.equals("skipped")) {
        attribute(xml, "type", trial.verdict().toString());
      }
      xml.writeCharacters(allowed(String.join("\n", reasons)));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static String count(List<Case> cases, String outcome) {
    return Long.toString(cases.stream().filter(c -> outcome.equals(c.outcome())).count());
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.3f", seconds);
  }

  private static void attribute(XMLStreamWriter xml, String name, String value)
      throws XMLStreamException {
    xml.writeAttribute(name, allowed(value));
  }

  /** Replaces characters that XML cannot contain, such as most control characters, by "?". */
  private static String allowed(String text) {
    StringBuilder allowed = new StringBuilder();
    text.codePoints().map(c -> isAllowed(c) ? c : '?').forEach(allowed::appendCodePoint);
    return allowed.toString();
  }

  private static boolean isAllowed(int c) {
    return c == '\t'
        || c == '\n'
        || c == '\r'
        || (c >= 0x20 && c <= 0xD7FF)
        || (c >= 0xE000 && c <= 0xFFFD)
        || c >= 0x10000;
  }
}
