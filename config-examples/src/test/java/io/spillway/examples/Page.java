package io.spillway.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/** A page of the documentation: where its links lead, and what it sets in code. */
final class Page extends AbstractVisitor {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  private final List<String> links = new ArrayList<>();
  private final List<String> anchors = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private String section = "";
  private int column = Span.TEXT;

  /**
   * Words set in code.
   *
   * @param section the first words set in code of the heading above, or its text
   * @param column of its table, from 0; {@link #TEXT} outside
   * @param text the words
   */
  record Span(String section, int column, String text) {
    static final int TEXT = -1;
  }

  private Page() {}

  static Page of(Path file) throws IOException {
    Page page = new Page();
    PARSER.parse(Files.readString(file)).accept(page);
    return page;
  }

  /** As they are written. */
  List<String> links() {
    return links;
  }

  /** Of its headings, as in a link's fragment. */
  List<String> anchors() {
    return anchors;
  }

  List<Span> spans() {
    return spans;
  }

  @Override
  public void visit(Link link) {
    links.add(link.getDestination());
    visitChildren(link);
  }

  @Override
  public void visit(Heading heading) {
    StringBuilder text = new StringBuilder();
    List<String> codes = new ArrayList<>();
    for (Node node = heading.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Text plain) {
        text.append(plain.getLiteral());
      } else if (node instanceof Code code) {
        text.append(code.getLiteral());
        codes.add(code.getLiteral());
      }
    }
    section = codes.isEmpty() ? text.toString() : codes.get(0);
    // as GitHub does
    anchors.add(
        text.toString()
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N} _-]", "")
            .replace(' ', '-'));
  }

  @Override
  public void visit(Code code) {
    spans.add(new Span(section, column, code.getLiteral()));
  }

  @Override
  public void visit(CustomBlock table) {
    visitChildren(table);
    column = Span.TEXT;
  }

  @Override
  public void visit(CustomNode node) {
    if (node instanceof TableRow) {
      column = Span.TEXT;
    } else if (node instanceof TableCell) {
      column++;
    }
    visitChildren(node);
  }
}
