/**
 * Byte records on disk: appended by one thread, read back in order by another, in this run or the
 * next one. Knows nothing of logging events.
 *
 * <pre>
 *   drainer --append--&gt; SegmentWriter --&gt; LiveSegment --&gt; LiveSegment (chain)
 *                                              |  mark, seal, next
 *   deliverer --read--&gt; SpillReader &lt;----------+--------- Leftovers &lt;-- SpillSlot, SpillSlot ...
 *             --delivered--&gt; Cursor --&gt; Retirement (unlink, or keep as .corrupt)
 *   drainer --evict--&gt; Eviction: writes the oldest unread segment once more, without some records
 *   syncer (only with a sync interval): SpillSyncer forces LiveSegments to the disk; the other
 *           half of it forces the log, then saves the cursor: only then is a segment unlinked
 * </pre>
 *
 * <p>A slot is one directory with one owner:
 *
 * <pre>
 *   DIR/lock                       locked while owned, never otherwise touched
 *   DIR/owner                      whose the segments are, in plain text; without it anybody's
 *   DIR/cursor                     what has been delivered
 *   DIR/0000000000000010.seg       segments, the number in hexadecimal; 15 numbers stay free
 *   DIR/0000000000000020.seg       before each, for what must be put before it at a forced stop
 *   DIR/0000000000000020.seg.corrupt  a damaged one, or .aside.corrupt, kept when done with
 *   DIR/0000000000000020.seg.48.400000000.400000009.aside  cannot be read or delivered now: where
 *                                  to go on in it, and where it ends if that is known (offset,
 *                                  sequence, sequence in hexadecimal), see SetAside
 *   DIR/1 ... DIR/64               slots of further owners, and of another kind of payload
 * </pre>
 *
 * <p>An owner that leaves nothing deletes the cursor, too. The numbers of the next one begin with
 * the time, far above those of before: a cursor that a backup brings back must not be beyond
 * segments that were written since, which would be deleted as delivered.
 *
 * <p>Integers are big-endian, CRCs are CRC32C. Segment:
 *
 * <pre>
 *    0 magic "SPLG"  4 version  6 kind     8 salt            16 number
 *   24 sequence of the first event        32 sequence of the first event of the run
 *   40 good length of the run's previous segment, 0 for its first
 *   48 where to go on in the segment of the next number, 0 for its start
 *   56 created (ms)      64 events in it, 0 if unknown then  68 CRC of bytes 0-67
 *   72 records, one after the other
 * </pre>
 *
 * <p>A segment is cut without anybody's notice only while nothing tells where it ends: the newest
 * one, after a crash. Else the header of the next one does; for the last one a clean stop begins a
 * next one that stays empty; and one that is put before others says itself how many events it has.
 *
 * <p>One that is put before another, of which a part was delivered, has the number before that, and
 * alone says where to go on in it, until the cursor does. What it says holds for that number only,
 * and the file stays, or waits under another name, until the cursor is there.
 *
 * <p>Record, at offset p of its segment:
 *
 * <pre>
 *    0 magic "SPLR"  4 payload length  8 events  12 CRC of (salt, payload)
 *   16 sequence of the first event    24 tag  28 CRC of (salt, p, bytes 0-27)
 *   32 payload
 * </pre>
 *
 * <p>Version 1 has no tags: they are 0. Version 2 is written if records may make room. A tag of -1
 * says that the record stands for events that are gone, and has no payload. It is written twice, so
 * that damage to one makes nobody count these events again. The others mean what the writer of the
 * payload wants.
 *
 * <p>Cursor: two slots written in turn, the valid one of the higher generation counts:
 *
 * <pre>
 *    0 magic "SPLC"  4 version  8 generation  16 segment  24 offset  32 sequence
 *   40 reserved     60 CRC of bytes 0-59      (64 next slot)
 * </pre>
 *
 * <p>In every later version the magic, the version and the CRC of segment and cursor stay where
 * they are, so that an earlier one knows that it must leave the directory alone. Whatever a later
 * version changes, and be it only in the payloads, gets a new version of the segment; a directory
 * that has such a segment has a cursor with a new version as well, which is written first.
 *
 * <p>The salt is random and never leaves the file, and a record's CRC covers its place: bytes in a
 * log message cannot pass for a record when reading resumes after damage. Sequence numbers count
 * events; a run begins far above the last one ({@code RUN_SEQUENCE_GAP}), so that nothing need be
 * scanned at start, and only a gap within a run is loss.
 */
package io.spillway.internal.spill;
