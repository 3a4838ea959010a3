#include "StaticFiles.h"

static const unsigned char page[] = {
#embed "page.html"
};
static const unsigned char pin_entry[] = {
#embed "pin-entry.js"
};
static const unsigned char openapi[] = {
#embed "openapi.json"
};

const unsigned char *static_page(size_t *n) {
  *n = sizeof page;
  return page;
}

const unsigned char *static_pin_entry(size_t *n) {
  *n = sizeof pin_entry;
  return pin_entry;
}

const unsigned char *static_openapi(size_t *n) {
  *n = sizeof openapi;
  return openapi;
}
