/* The heap of a program that is linked with this target wipes whatever is given back to it: each `free`, and each
 * `realloc` that moves, whoever calls it: libmicrohttpd for the buffers of its connections, jansson for strings, Swift
 * for its own. And no call of malloc takes long because much was given back before. There is nothing to call. */
#ifndef WIPING_HEAP_H
#define WIPING_HEAP_H
#endif
