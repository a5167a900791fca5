package io.spillway.stress.report;

/**
 * When the rotation happened, in seconds since the load began, as seen by watching the directory.
 *
 * @param seen whether a rotation began
 * @param complete whether its archive was finished
 * @param startSeconds when it began; 0 if not seen
 * @param endSeconds when the archive was finished; 0 if it was not
 */
public record RotationFigures(
    boolean seen, boolean complete, double startSeconds, double endSeconds) {

  /** From the trigger to the finished archive. */
  public double seconds() {
    return complete ? endSeconds - startSeconds : 0;
  }
}
