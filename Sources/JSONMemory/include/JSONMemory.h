/* Reads JSON by jansson without believing it when memory runs out. Its lexer does not look whether its buffer grew: a
 * string would lose a character, be read past its end, or end the program in an assertion. So what there is no
 * memory for while a text is read comes from a reserve, and then the text counts as not read. */
#ifndef JSON_MEMORY_H
#define JSON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* json_loadb, with its flags and its json_error_t: gives a json_t, to be given back to jansson by the same thread, or
 * NULL. If it is for want of memory, `no_memory` is set. */
void *json_memory_load(const char *text, size_t count, size_t flags, void *error, bool *no_memory);

#endif
