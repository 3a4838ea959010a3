/* Makes calls of the program fail, preloaded into it by failing.py.
 *
 * The program has a malloc family of its own, which a preloaded one would not come before; but that calls __libc_malloc
 * and its like, and those are found here first. Whose an allocation is tells the stack: the first frame that is not of
 * the malloc family or the C library. Only libmicrohttpd's, jansson's and the shim's fail: Swift's own end the program.
 *
 * What is to fail stands in a file that both sides have mapped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unwind.h>

enum kind { MICROHTTPD = 1, JANSSON = 2, SHIM = 4, DESCRIPTOR = 8, EPOLL = 16, ACCEPT = 32, SEND = 64, RECEIVE = 128,
            OPTION = 256, START = 512 };

/* All in 64 bits, as failing.py reads and writes them. */
static struct control {
  _Atomic uint64_t mode;    /* 0: nothing fails, 1: the one that is `nth` does, 2: and all after it, 3: each that is
                             * a multiple of it */
  _Atomic uint64_t kinds;   /* of which kinds */
  _Atomic uint64_t nth;     /* from 1 */
  _Atomic uint64_t error;   /* the errno of a call that is no allocation */
  _Atomic uint64_t seen, failed;
  _Atomic uint64_t live;    /* allocations of these three that are not freed */
} nowhere, *control = &nowhere;

/* Code by the part it belongs to. INSIDE: on the way from who allocates to here. */
enum { INSIDE = 1 << 20, ELSEWHERE = 0 };
static struct { uintptr_t start, end; unsigned part; } places[512];
static size_t places_count;
static uintptr_t program;

static void add_place(uintptr_t start, uintptr_t end, unsigned part) {
  if (places_count == sizeof places / sizeof *places) abort();
  places[places_count].start = start;
  places[places_count].end = end;
  places[places_count++].part = part;
}

static unsigned part_of(uintptr_t address) {
  for (size_t i = 0; i < places_count; i++) {
    if (address >= places[i].start && address < places[i].end) return places[i].part;
  }
  return ELSEWHERE;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *closure) {
  (void)size, (void)closure;
  if (!program) program = info->dlpi_addr;
  const char *name = strrchr(info->dlpi_name, '/');
  unsigned part = !name ? ELSEWHERE : !strncmp(name, "/libmicrohttpd.", 15) ? MICROHTTPD
      : !strncmp(name, "/libjansson.", 12) ? JANSSON
      : !strncmp(name, "/libc.", 6) || !strncmp(name, "/failing.", 9) ? INSIDE : ELSEWHERE;
  for (int i = 0; part && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    add_place(start, start + segment->p_memsz, part);
  }
  return 0;
}

/* FAILING_PLACES has the program's own functions: "PART START END\n", hexadecimal and before it is loaded anywhere. */
__attribute__((constructor)) static void start(void) {
  dl_iterate_phdr(add_library, NULL);
  const char *text = getenv("FAILING_PLACES"), *path = getenv("FAILING_CONTROL");
  if (!text || !path) return;
  unsigned part;
  unsigned long from, to;
  for (int used; sscanf(text, "%x %lx %lx\n%n", &part, &from, &to, &used) == 3; text += used)
    add_place(program + from, program + to, part);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  control = mapped;
}

static bool is_to_fail(unsigned part) {
  uint64_t mode = atomic_load(&control->mode);
  if (!mode || !(part & atomic_load(&control->kinds))) return false;
  uint64_t number = atomic_fetch_add(&control->seen, 1) + 1, nth = atomic_load(&control->nth);
  if (mode == 1 ? number != nth : mode == 2 ? number < nth : number % nth != 0) return false;
  atomic_fetch_add(&control->failed, 1);
  return true;
}

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *closure) {
  unsigned *part = closure;
  int is_before = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &is_before);
  *part = part_of(is_before ? address : address - 1);
  return *part == INSIDE ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static unsigned caller(void) {
  if (!places_count) return ELSEWHERE;
  unsigned part = ELSEWHERE;
  _Unwind_Backtrace(see_frame, &part);
  return part == INSIDE ? ELSEWHERE : part;
}

/* What is live: a table of its addresses. */
enum { TABLE = 1 << 16 };
static void *table[TABLE];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t home_of(const void *memory) { return (uintptr_t)memory * 0x9e3779b97f4a7c15u >> 48; }

static void note(void *memory) {
  pthread_mutex_lock(&table_lock);
  size_t place = home_of(memory);
  while (table[place]) place = (place + 1) % TABLE;
  table[place] = memory;
  pthread_mutex_unlock(&table_lock);
  if (atomic_fetch_add(&control->live, 1) > TABLE / 2) abort();
}

static void forget(void *memory) {
  pthread_mutex_lock(&table_lock);
  size_t place = home_of(memory);
  while (table[place] && table[place] != memory) place = (place + 1) % TABLE;
  bool found = table[place];
  if (found) atomic_fetch_sub(&control->live, 1);
  /* Whatever comes after it and would have liked to be here, or before, moves up. */
  for (size_t next = place; found;) {
    table[place] = NULL;
    do next = (next + 1) % TABLE;
    while (table[next] && (next - home_of(table[next])) % TABLE < (next - place) % TABLE);
    if (!table[next]) break;
    table[place] = table[next];
    place = next;
  }
  pthread_mutex_unlock(&table_lock);
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *noted(void *memory, unsigned part) {
  if (memory && part) note(memory);
  return memory;
}

static void *refused(void) {
  errno = ENOMEM;
  return NULL;
}

void *__libc_malloc(size_t size) {
  REAL(__libc_malloc)
  unsigned part = caller();
  return is_to_fail(part) ? refused() : noted(real(size), part);
}

void *__libc_calloc(size_t count, size_t size) {
  REAL(__libc_calloc)
  unsigned part = caller();
  return is_to_fail(part) ? refused() : noted(real(count, size), part);
}

void *__libc_memalign(size_t alignment, size_t size) {
  REAL(__libc_memalign)
  unsigned part = caller();
  return is_to_fail(part) ? refused() : noted(real(alignment, size), part);
}

void __libc_free(void *memory) {
  REAL(__libc_free)
  forget(memory);
  real(memory);
}

/* Whether a call of this kind, made from `address`, is to fail. */
static bool fails(unsigned kind, void *address) {
  unsigned part = part_of((uintptr_t)address - 1);
  if (part != MICROHTTPD && part != SHIM) return false;
  if (!is_to_fail(kind)) return false;
  errno = (int)atomic_load(&control->error);
  return true;
}

#define HERE __builtin_return_address(0)

int fcntl(int fd, int command, ...) {
  REAL(fcntl)
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (command == F_DUPFD_CLOEXEC && fails(DESCRIPTOR, HERE)) return -1;
  return real(fd, command, argument);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
  REAL(epoll_ctl)
  if (operation != EPOLL_CTL_DEL && fails(EPOLL, HERE)) return -1;
  return real(epoll, operation, fd, event);
}

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags) {
  REAL(accept4)
  if (fails(ACCEPT, HERE)) return -1;
  return real(fd, address, size, flags);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
  REAL(send)
  if (fails(SEND, HERE)) return -1;
  return real(fd, bytes, count, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(sendmsg)
  if (fails(SEND, HERE)) return -1;
  return real(fd, message, flags);
}

ssize_t recv(int fd, void *bytes, size_t count, int flags) {
  REAL(recv)
  if (fails(RECEIVE, HERE)) return -1;
  return real(fd, bytes, count, flags);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
  REAL(setsockopt)
  if (fails(OPTION, HERE)) return -1;
  return real(fd, level, name, value, size);
}

int epoll_create1(int flags) {
  REAL(epoll_create1)
  if (fails(START, HERE)) return -1;
  return real(flags);
}

int eventfd(unsigned value, int flags) {
  REAL(eventfd)
  if (fails(START, HERE)) return -1;
  return real(value, flags);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
                   void *restrict closure) {
  REAL(pthread_create)
  if (fails(START, HERE)) return errno;
  return real(thread, attributes, run, closure);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  REAL(pthread_mutex_init)
  if (part_of((uintptr_t)HERE - 1) == MICROHTTPD && fails(START, HERE)) return errno;
  return real(mutex, attributes);
}
