/** Extension points for archives: their formats, and who receives them. */
package io.spillway.archive;
