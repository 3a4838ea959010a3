#include "MicroHTTPShim.h"
