/**
 * Stores byte records on disk: one thread appends them, another reads them back in order, in the
 * same run or the next one. The package does not depend on logging events.
 *
 * <pre>
 *   drainer --append--&gt; SegmentWriter --&gt; LiveSegment --&gt; LiveSegment (chain)
 *                                              |  mark, seal, next
 *   deliverer --read--&gt; SpillReader &lt;----------+--------- Leftovers &lt;-- SpillSlot, SpillSlot ...
 *             --delivered--&gt; Cursor --&gt; Retirement (unlink, or keep as .corrupt)
 *   drainer --evict--&gt; Eviction: rewrites the oldest unread segment without some of its records
 *   syncer (only with a sync interval): one thread of SpillSyncer forces LiveSegments to the disk;
 *           the other forces the log, then saves the cursor: only then is a segment unlinked
 * </pre>
 *
 * <p>A slot is one directory with one owner:
 *
 * <pre>
 *   DIR/lock                       locked while the slot is owned; nothing is written to it
 *   DIR/owner                      names the owner of the segments, in plain text; without this
 *                                  file any owner may take them
 *   DIR/cursor                     the position up to which everything is delivered
 *   DIR/0000000000000010.seg       segments, numbered in hexadecimal; 15 numbers before each stay
 *   DIR/0000000000000020.seg       free, for records that a forced stop has to put before it
 *   DIR/0000000000000020.seg.corrupt  a damaged segment, or .aside.corrupt, kept after delivery
 *   DIR/0000000000000020.seg.48.400000000.400000009.aside  cannot be read or delivered now. The
 *                                  name states where reading resumes in the file, and where the
 *                                  file ends if that is known (offset, sequence, sequence in
 *                                  hexadecimal), see SetAside
 *   DIR/1 ... DIR/64               slots of further owners, and of another kind of payload
 * </pre>
 *
 * <p>An owner that leaves no events behind deletes the cursor as well. The next owner begins its
 * segment numbers with the current time, far above all earlier numbers. Otherwise a cursor that is
 * restored from a backup could be beyond segments written later, which would be deleted as
 * delivered.
 *
 * <p>Integers are big-endian, CRCs are CRC32C. Segment:
 *
 * <pre>
 *    0 magic "SPLG"  4 version  6 kind     8 salt            16 number
 *   24 sequence of the first event        32 sequence of the first event of the run
 *   40 good length of the run's previous segment, 0 for its first
 *   48 where reading resumes in the segment of the next number, 0 for its start
 *   56 created (ms)      64 number of events, 0 if unknown then  68 CRC of bytes 0-67
 *   72 records, one after the other
 * </pre>
 *
 * <p>A truncated segment goes unnoticed only while nothing states where the segment ends. That is
 * so for the newest segment after a crash. The end of any other segment is stated by the header of
 * the next one; a clean stop creates an empty segment behind the last one for this purpose, and a
 * segment of prepended records states its own number of events.
 *
 * <p>Records that are prepended to a partly delivered segment get the segment number before it.
 * Until the cursor has moved on, only the header of the prepended segment states where reading
 * resumes in the partly delivered one. The resume offset applies to the next segment number only,
 * and the prepended file stays, or is set aside under another name, until the cursor has reached
 * that position.
 *
 * <p>Record, at offset p of its segment:
 *
 * <pre>
 *    0 magic "SPLR"  4 payload length  8 events  12 CRC of (salt, payload)
 *   16 sequence of the first event    24 tag  28 CRC of (salt, p, bytes 0-27)
 *   32 payload
 * </pre>
 *
 * <p>Version 1 has no tags: the field is 0. Version 2 is written if records may be evicted. A tag
 * of -1 marks a record without payload that stands for evicted events. The marker is written twice,
 * so that damage to one of the two does not count these events again, as lost. Other tags are
 * defined by the writer of the payload.
 *
 * <p>Cursor: two slots written in turn, the valid one of the higher generation counts:
 *
 * <pre>
 *    0 magic "SPLC"  4 version  8 generation  16 segment  24 offset  32 sequence
 *   40 reserved     60 CRC of bytes 0-59      (64 next slot)
 * </pre>
 *
 * <p>In every format later than these the magic, the version and the CRC of segment and cursor keep
 * their places, so that an earlier version of Spillway recognizes that it must leave the directory
 * alone. Any change of the format, even one of the payloads alone, gets a new segment version. A
 * directory with such a segment also has a cursor with a new version, which is written first.
 *
 * <p>The salt is random and never leaves the file, and a record's CRC covers its offset: bytes in a
 * log message cannot pass for a record when reading resumes after damage. Sequence numbers count
 * events. A run begins its sequence far above that of the previous run ({@code RUN_SEQUENCE_GAP}),
 * so that nothing need be scanned at start, and only a gap within a run is loss.
 */
package io.spillway.internal.spill;
