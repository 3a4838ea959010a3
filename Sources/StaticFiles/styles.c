#include "StaticFiles.h"

static const unsigned char boxes[] = {
#embed "../../Config/styles/boxes.json"
};
static const unsigned char boxes_dark[] = {
#embed "../../Config/styles/boxes-dark.json"
};
static const unsigned char code[] = {
#embed "../../Config/styles/code.json"
};
static const unsigned char code_dark[] = {
#embed "../../Config/styles/code-dark.json"
};
static const unsigned char grid[] = {
#embed "../../Config/styles/grid.json"
};
static const unsigned char grid_dark[] = {
#embed "../../Config/styles/grid-dark.json"
};
static const unsigned char rounded[] = {
#embed "../../Config/styles/rounded.json"
};
static const unsigned char rounded_dark[] = {
#embed "../../Config/styles/rounded-dark.json"
};
static const unsigned char strip[] = {
#embed "../../Config/styles/strip.json"
};
static const unsigned char strip_dark[] = {
#embed "../../Config/styles/strip-dark.json"
};
static const unsigned char underline[] = {
#embed "../../Config/styles/underline.json"
};
static const unsigned char underline_dark[] = {
#embed "../../Config/styles/underline-dark.json"
};

static const struct {
  const char *name;
  const unsigned char *start;
  size_t size;
} styles[] = {
    {"boxes", boxes, sizeof boxes},
    {"boxes-dark", boxes_dark, sizeof boxes_dark},
    {"code", code, sizeof code},
    {"code-dark", code_dark, sizeof code_dark},
    {"grid", grid, sizeof grid},
    {"grid-dark", grid_dark, sizeof grid_dark},
    {"rounded", rounded, sizeof rounded},
    {"rounded-dark", rounded_dark, sizeof rounded_dark},
    {"strip", strip, sizeof strip},
    {"strip-dark", strip_dark, sizeof strip_dark},
    {"underline", underline, sizeof underline},
    {"underline-dark", underline_dark, sizeof underline_dark},
};

const unsigned char *static_style(size_t index, const char **name, size_t *n) {
  if (index >= sizeof styles / sizeof styles[0]) return NULL;
  *name = styles[index].name;
  *n = styles[index].size;
  return styles[index].start;
}
