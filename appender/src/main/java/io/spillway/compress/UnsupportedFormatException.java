package io.spillway.compress;

/** A file name asks for a compression that is not at hand; the message says what to do. */
public final class UnsupportedFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient ArchiveFormat instead;

  UnsupportedFormatException(String message, ArchiveFormat instead, Throwable cause) {
    super(message, cause);
    this.instead = instead;
  }

  /**
   * What Logback does with such a name: gzip where only a library is missing, else nothing.
   *
   * @return gzip, or {@link ArchiveFormats#PLAIN}
   */
  public ArchiveFormat instead() {
    return instead;
  }
}
