/** Logback appenders whose log calls do not wait for the log file. */
module io.spillway {
  requires transitive ch.qos.logback.classic;
  requires transitive ch.qos.logback.core;
  requires transitive org.slf4j;
  requires com.lmax.disruptor;

  // Optional at run time: each is used only if it is present.
  requires static java.management;
  requires static jdk.jfr;
  requires static micrometer.core; // if transitive, every user would need it to compile
  requires static com.github.luben.zstd_jni;
  requires static org.tukaani.xz;

  exports io.spillway;
  exports io.spillway.archive;
  exports io.spillway.metrics;
  exports io.spillway.rolling;

  uses io.spillway.archive.ArchiveFormat;
}
