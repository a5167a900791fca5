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
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/** A page of the documentation: where its links lead, and what it sets in code. */
final class Page extends AbstractVisitor {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  private final List<String> links = new ArrayList<>();
  private final List<String> anchors = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final List<String> paragraphs = new ArrayList<>();
  private final List<String> cells = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
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

  /** Their text without markup; items of lists are paragraphs, too. */
  List<String> paragraphs() {
    return paragraphs;
  }

  /** Of the tables: their text without markup. */
  List<String> cells() {
    return cells;
  }

  @Override
  public void visit(Paragraph paragraph) {
    text.setLength(0);
    visitChildren(paragraph);
    paragraphs.add(text.toString());
  }

  @Override
  public void visit(Text plain) {
    text.append(plain.getLiteral());
  }

  @Override
  public void visit(SoftLineBreak end) {
    text.append(' ');
  }

  @Override
  public void visit(Link link) {
    links.add(link.getDestination());
    visitChildren(link);
  }

  @Override
  public void visit(Heading heading) {
    StringBuilder title = new StringBuilder();
    List<String> codes = new ArrayList<>();
    for (Node node = heading.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Text plain) {
        title.append(plain.getLiteral());
      } else if (node instanceof Code code) {
        title.append(code.getLiteral());
        codes.add(code.getLiteral());
      }
    }
    section = codes.isEmpty() ? title.toString() : codes.get(0);
    // as GitHub does
    anchors.add(
        title
            .toString()
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N} _-]", "")
            .replace(' ', '-'));
  }

  @Override
  public void visit(Code code) {
    spans.add(new Span(section, column, code.getLiteral()));
    text.append(code.getLiteral());
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
      text.setLength(0);
    }
    visitChildren(node);
    if (node instanceof TableCell) {
      cells.add(text.toString());
    }
  }
}
