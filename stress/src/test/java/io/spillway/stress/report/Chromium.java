package io.spillway.stress.report;

import java.awt.Color;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** A headless Chromium, if this machine has one; no network, a new profile each time. */
public final class Chromium {

  /** What a test says when it is skipped. */
  public static final String MISSING =
      "Skipped: there is no chromium, chromium-browser or google-chrome on the PATH (Debian:"
          + " chromium), so that no page was opened in a browser";

  private static final long PATIENCE_SECONDS = 120;

  private final Path program;

  private Chromium(Path program) {
    this.program = program;
  }

  /**
   * A page as it is after its scripts have run.
   *
   * @param document the page
   * @param console what it wrote to the console, errors of its scripts included
   */
  public record Page(Document document, List<String> console) {}

  /** The browser of this machine. */
  public static Optional<Chromium> find() {
    List<String> names = List.of("chromium", "chromium-browser", "google-chrome");
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder -> names.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Chromium::new);
  }

  /** Opens a page and lets its scripts run. The directory gets profile and output. */
  public Page open(Path page, Path directory) throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(directory, "chromium");
    Path dom = work.resolve("dom.html");
    Path errors = work.resolve("errors.txt");
    List<String> command = command(work);
    command.addAll(
        List.of(
            "--virtual-time-budget=5000",
            "--window-size=1280,900",
            "--enable-logging=stderr",
            "--dump-dom",
            page.toUri().toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(dom.toFile())
            .redirectError(errors.toFile())
            .start();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    List<String> said = Files.readAllLines(errors);
    if (!ended || process.exitValue() != 0) {
      throw new IOException("Chromium did not end well: " + said);
    }
    return new Page(
        Jsoup.parse(Files.readString(dom)),
        said.stream().filter(line -> line.contains(":CONSOLE")).toList());
  }

  /** The colour of a page's upper left corner on a light or dark screen. */
  public Color corner(Path page, Path directory, boolean dark)
      throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(directory, "chromium");
    Path picture = work.resolve("picture.png");
    List<String> command = command(work);
    command.add("--blink-settings=preferredColorScheme=" + (dark ? 0 : 1));
    command.addAll(List.of("--screenshot=" + picture, page.toUri().toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    return new Color(ImageIO.read(picture.toFile()).getRGB(2, 2));
  }

  private List<String> command(Path work) {
    return new ArrayList<>(
        List.of(
            program.toString(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--user-data-dir=" + work.resolve("profile")));
  }
}
