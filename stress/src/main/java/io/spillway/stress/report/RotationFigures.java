package io.spillway.stress.report;

/**
 * When the rotation happened, in seconds since the load began, as seen by watching the directory.
 *
 * @param seen whether a rotation began
 * @param complete whether its archive was finished
 * @param startSeconds when it began; 0 if not seen
 * @param reopenedSeconds when there was a new active file; 0 if there was none. What comes after is
 *     compression in the background
 * @param endSeconds when the archive was finished; 0 if it was not
 */
public record RotationFigures(
    boolean seen,
    boolean complete,
    double startSeconds,
    double reopenedSeconds,
    double endSeconds) {

  /** From the trigger to the finished archive; null if it was not finished. */
  public Double seconds() {
    return complete ? endSeconds - startSeconds : null;
  }
}
