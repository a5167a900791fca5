package io.spillway.stress.verify;

/** Tells what a line is. */
interface LineReader {

  /** What a line turned out to be. */
  enum Kind {
    /** An event, whole. */
    EVENT,
    /** One of the lines that were in the file before. */
    PREFILL,
    /** Neither, and it should be. */
    TORN,
    /** None of the harness's, such as a header. */
    FOREIGN
  }

  /** Looks at {@code bytes[from, to)}, a line without its line end. */
  Kind parse(byte[] bytes, int from, int to);

  /** Thread of the event last parsed. */
  int thread();

  /** Sequence number of the event last parsed. */
  long sequence();
}
