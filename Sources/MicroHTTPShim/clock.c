#include "internal.h"

#include <stdio.h>
#include <time.h>

int64_t mhs_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

mhs_slice mhs_date(char buffer[40]) {
  static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  time_t now = time(NULL);
  struct tm at;
  if (!gmtime_r(&now, &at)) return (mhs_slice){buffer, 0};
  int count = snprintf(buffer, 40, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", days[at.tm_wday], at.tm_mday,
                       months[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
  return (mhs_slice){buffer, count > 0 && count < 40 ? (size_t)count : 0};
}

const char *mhs_reason(unsigned status) { return MHD_get_reason_phrase_for(status); }
