/*
 * Makes every flush to the disk slow, as an SD card does: fsync and fdatasync first wait SLOW_FLUSH_MS (10) and, every
 * 100th time, SLOW_FLUSH_STALL_MS (500). Loaded with LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static long setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

static void be_slow(void) {
  static atomic_uint flushes;
  unsigned flush = atomic_fetch_add(&flushes, 1) + 1;
  long ms = flush % 100 ? setting("SLOW_FLUSH_MS", 10) : setting("SLOW_FLUSH_STALL_MS", 500);
  struct timespec pause = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&pause, NULL);
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  be_slow();
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  be_slow();
  return real(file);
}
