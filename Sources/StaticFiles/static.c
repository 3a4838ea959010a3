#include "StaticFiles.h"
