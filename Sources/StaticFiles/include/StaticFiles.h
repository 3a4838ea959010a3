#pragma once

#include <stddef.h>

/* Files that are part of the program. What is returned lives as long as it. */

/* The style number `index`: a JSON document of *n bytes and its name; NULL past the last one. */
const unsigned char *static_style(size_t index, const char **name, size_t *n);

/* The page at `/`, the script with the `<pin-entry>` element, and the OpenAPI document, of *n bytes. */
const unsigned char *static_page(size_t *n);
const unsigned char *static_pin_entry(size_t *n);
const unsigned char *static_openapi(size_t *n);
