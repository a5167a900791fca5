/**
 * Events as bytes, for the spill of an appender that wraps another one.
 *
 * <p>Any layout prints the same bytes for a decoded event as for the original. What only a program
 * can see is not kept: arguments, markers and values of foreign classes come back as their text,
 * throwables as what layouts print of them. An event may carry its line, the bytes that the nested
 * appender's encoder made of it.
 *
 * <p>The payload of a record, version 1. {@code v} is an unsigned number of 31 bits, seven bits a
 * byte, low ones first; {@code z} a zigzag number of 64 bits, in the same way. Decoding looks up no
 * class, runs no code of an event, and allocates nothing by a number before that number is checked
 * against the remaining bytes.
 *
 * <pre>
 *   run        u8 version | i32 event count, big-endian | event ...
 *   event      z level | context | name logger | name thread | z second, v nano of the instant
 *              | z sequence number | u8 1, string message or u8 0, name message, string formatted
 *              | v 0 or 1 + n, value ... arguments | v n, marker ... | map MDC
 *              | v n, (name key, value) ... | throwable | v 0 or 1 + n, frame ... caller data
 *              | v 0 or 1 + n, bytes line
 *   string     v 0 null, else 1 + 2 * length + wide | Latin-1 bytes, or if wide: v UTF-16 unit ...
 *   name       v 0 null, 1 string, which gets the next number, else 2 + number of such a string
 *   context    u8 0 null, 1 the one before in this run, 2 string name | z birth time | map
 *   map        (u8 1 | name key | string value) ... | u8 0
 *   value      u8 '0' null | 'S' string, also the text of a foreign object | 'L', 'I' z
 *              | 'D', 'F' z raw bits | 'y' true | 'n' false
 *   marker     u8 0 null, or u8 1 | name | string text, null if it is the name | marker ... | u8 0
 *   throwable  u8 0 null, or u8 1 | name class | string message | string overriding message
 *              | u8 cyclic | z common frames | v n, frame ... | v n, throwable ... suppressed
 *              | throwable cause
 *   frame      name loader | name module | name version | name class | name method | name file
 *              | z line | u8 0, or 1 exact, 2 inexact packaging data: name location | name version
 * </pre>
 *
 * <p>Limits, beyond which one named "[left out]" follows: references of markers 64 deep and 1,024
 * an event, throwables 256 deep and 4,096 an event. A run of 1 GiB fails its event.
 */
package io.spillway.internal.codec;
