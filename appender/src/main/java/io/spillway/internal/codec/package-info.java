/**
 * Encodes runs of events that are spilled to disk as bytes, and decodes them.
 *
 * <p>Guarantee: any layout prints the same bytes for a decoded event as for the original. What only
 * a program can see is not kept: arguments, markers and values of foreign classes are decoded as
 * their text, throwables as what layouts print of them, and a stack frame's class loader and module
 * version only if they were shown.
 *
 * <p>The payload of an EVENTS record, version 1. Numbers are big-endian; {@code v} is an unsigned
 * number of 31 bits, seven bits a byte, low ones first; {@code z} a zigzag number of 64 bits, in
 * the same way. Decoding looks up no class by a name in the payload, and allocates nothing by a
 * number in the payload before that number is checked against the remaining bytes.
 *
 * <pre>
 *   run      u8 version | i32 event count | event ...
 *
 *   event    u16 flags | context | name logger | name thread | time | z sequence number
 *            | [v argument count] | message | [string formatted message]
 *            | [value ...]                       arguments
 *            | [v n, v marker + 1 or 0 ... , node ...]
 *            | [map]                             MDC
 *            | [v n, u8 present (name key, value) ...]
 *            | [throwable]
 *            | [v n, frame ...]                  caller data
 *   flags    bit 0    formatted message is the message     bit 5  MDC
 *            bit 1    time is the instant alone            bit 6  key-value pairs
 *            bit 2    there is an instant                  bit 7  throwable
 *            bit 3    arguments                            bit 8  caller data
 *            bit 4    markers                              bits 9-12 level, 0 if null
 *   time     bit 1:   z epoch second | i32 nano
 *            else     z epoch milli | i32 nanoseconds | bit 2: z epoch second | i32 nano
 *   message  a name if there are arguments (it is a pattern then), else a string
 *
 *   string   v header: 0 null, else 1 + 2 * length + wide | Latin-1 bytes, or UTF-16 units if wide
 *   name     v tag: 0 null, 1 a string follows, 2 a string follows and gets the next number,
 *            else 3 + number of a string seen before in this run
 *   context  v tag as for a name | [string name | z birth time | u8 present [map] properties]
 *   map      v n, (name key | string value) ...
 *   value    u8 type: 0 null, 1 string, 2 true, 3 false, 4 byte, 5 short, 6 character, 7 int,
 *            8 long, 9 float, 10 double, 11 the text of anything else | its bytes
 *   text     u8 kind: 0 what toString() gave, 1 what the exception said that it threw | string
 *   node     name | u8 text is the name | [text] | v n, v marker ...
 *            one for each marker number used so far, in order; numbers are used in order too
 *   throwable  u8 flags | name class | string message | [string overriding message]
 *            | z common frames | [v n, frame ...] | [v n, suppressed throwable or u8 0 ...]
 *            | [cause: a throwable]
 *   flags    bit 0 always | 1 cyclic | 2 overriding | 3 frames | 4 suppressed | 5 cause
 *   frame    u8 flags, 0 if null | [name loader] | [name module] | [name module version]
 *            | name class | name method | name file | z line
 *            | [name code location | name version]
 *   flags    bit 0 always | 1 loader | 2 module | 3 version | 4 packaging data | 5 exact
 * </pre>
 *
 * <p>Limits: 4,096 numbered names and 64 numbered contexts a run (further ones are written out each
 * time). Limits for structures that never end: 1,048,576 throwables an event and 65,536 references
 * of its markers; a throwable, or a marker, named "[left out...]" takes the place of the others. A
 * string of 2<sup>30</sup> characters or a run of 2 GiB fails its event. Nesting may have any
 * depth.
 */
package io.spillway.internal.codec;
