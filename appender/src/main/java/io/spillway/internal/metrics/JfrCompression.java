package io.spillway.internal.metrics;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** See the description. */
@Name("io.spillway.Compression")
@Label("Compression")
@Description(
    "A rolled file became an archive in the background; with compression=CONTINUOUS only the part"
        + " after the rollover")
@Category("Spillway")
@StackTrace(false)
final class JfrCompression extends Event implements FlightLog.Span {
  @Label("File")
  @Description("The rolled file")
  String file;

  @Label("Archive")
  @Description("The archive")
  String archive;

  @Label("File Bytes")
  @Description("Length of the rolled file")
  @DataAmount
  long fileBytes;

  @Label("Archive Bytes")
  @Description("Length of the archive")
  @DataAmount
  long archiveBytes;
}
