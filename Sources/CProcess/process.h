#include <sys/prctl.h>

/// From now on nobody but root may look into the process, and no core dump is written. `prctl` itself has a variable
/// number of arguments, which Swift doesn't import. 0, or -1 and `errno`.
static inline int process_forbid_looking(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
