/**
 * A bounded first-in-first-out queue of byte records on disk, which outlives the process. The
 * package knows nothing of logging events: a payload is bytes and a number of events.
 *
 * <pre>
 *   spiller   --append--&gt; SpillWriter --&gt; Segment, Segment, Segment ... (active)
 *                              |              |                           |
 *                             Tee             | first, mark, pass      last payloads
 *                              |              v                           |
 *   deliverer &lt;--read--- SpillReader &lt;--------+---------------------------+
 *   syncer    --force--&gt; segments, the destination; then marks and deletes what was delivered
 * </pre>
 *
 * <p>One owner holds {@code DIR/lock}. Beside it are segments {@code RUN-NUMBER.events} or {@code
 * .bytes}, read in the order of run and number, and at most four {@code .corrupt}: damaged segments
 * that were read as far as possible. There is nothing else: each segment has its own mark of what
 * is delivered, and is deleted when all of it is.
 *
 * <p>Integers are big-endian, CRCs are CRC32C. Segment:
 *
 * <pre>
 *    0 magic "SPWS"   4 version (1)   8 run   16 sequence of its first event
 *   24 created, ms   32 CRC of bytes 0-31    36 zero
 *   48 mark: offset of the next record        (4, unsigned; 64: nothing is delivered)
 *   52       events of it that are delivered  (4)
 *   56       events before it                 (4)
 *   60       CRC of bytes 48-59
 *   64 records, one behind the other; a seal
 * </pre>
 *
 * <p>Record:
 *
 * <pre>
 *    0 length of the payload   4 events   8 sequence of its first event
 *   16 CRC of the payload     20 CRC of (bytes 32-35 of the segment, bytes 0-19)
 *   24 payload
 * </pre>
 *
 * <p>A seal is a record of length -1 without payload, with the number of events of the segment and
 * the sequence behind them. It is the last record of a segment that was ended in order; without it
 * the process died. Sequences count the events of a run and have no gap within a segment.
 *
 * <ul>
 *   <li>Header and payload go to the file in one positional write. A write that fails is cut off,
 *       the segment is sealed there, and the next one begins.
 *   <li>The mark is 16 bytes within one sector, written in place. A mark with a wrong CRC means
 *       that nothing is delivered: duplicates, never a refusal.
 *   <li>A file without a seal ends at its last whole record; what is torn behind it was never
 *       accepted. Other bytes there are damage.
 *   <li>A bad payload under a good header costs its record, a bad header the rest of its segment.
 *       What that was tells the seal, or the next segment of the run; else, and if the header of
 *       the segment is bad, it counts as one event.
 *   <li>A file of another suffix, or with a good header of another version, is left alone. A later
 *       version keeps magic, version and the CRC of the header where they are.
 * </ul>
 */
package io.spillway.internal.spill;
