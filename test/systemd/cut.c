/* Cuts the power at a chosen change of the file system: counts the calls that rename, link, remove or create a name over all
 * processes that load this library (LD_PRELOAD), and at number CUT_AT kills every process of the PID namespace before the
 * change. CUT_COUNT is a file of at least 8 bytes that takes the count. Without CUT_AT it only counts. CUT_LOG is a file that
 * takes a line for each change: its number, program, call and path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long *count;
static long cut_at;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("CUT_COUNT"), *at = getenv("CUT_AT");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) count = page;
  cut_at = at ? atol(at) : 0;
}

static void change(int changes, const char *call, const char *path) {
  if (!changes || !count) return;
  long number = atomic_fetch_add(count, 1) + 1;
  const char *log = getenv("CUT_LOG");
  int before = errno, file = log ? open(log, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (file >= 0) {
    dprintf(file, "%ld %s %s %s\n", number, program_invocation_short_name, call, path);
    close(file);
  }
  errno = before;
  if (number != cut_at) return;
  kill(-1, SIGKILL);
  kill(getpid(), SIGKILL);
  /* Process 1 of a namespace cannot kill itself. */
  _exit(137);
}

static int is(int folder, const char *path) {
  struct stat found;
  int before = errno, here = fstatat(folder, path, &found, AT_SYMLINK_NOFOLLOW) == 0;
  errno = before;
  return here;
}

/* A call that fails, because its source is missing or its target is there, changes nothing and does not count. */
#define COUNTED(name, changes, path, parameters, ...)                   \
  int name parameters {                                                 \
    static int(*next) parameters;                                       \
    if (!next) next = (int(*) parameters)dlsym(RTLD_NEXT, #name);       \
    change(changes, #name, path);                                       \
    return next(__VA_ARGS__);                                           \
  }
COUNTED(rename, is(AT_FDCWD, a), b, (const char *a, const char *b), a, b)
COUNTED(renameat, is(f, a), b, (int f, const char *a, int g, const char *b), f, a, g, b)
COUNTED(renameat2, is(f, a), b, (int f, const char *a, int g, const char *b, unsigned flags), f, a, g, b, flags)
COUNTED(link, is(AT_FDCWD, a) && !is(AT_FDCWD, b), b, (const char *a, const char *b), a, b)
COUNTED(linkat, is(f, a) && !is(g, b), b, (int f, const char *a, int g, const char *b, int flags), f, a, g, b, flags)
COUNTED(symlink, !is(AT_FDCWD, b), b, (const char *a, const char *b), a, b)
COUNTED(symlinkat, !is(g, b), b, (const char *a, int g, const char *b), a, g, b)
COUNTED(unlink, is(AT_FDCWD, a), a, (const char *a), a)
COUNTED(unlinkat, is(f, a), a, (int f, const char *a, int flags), f, a, flags)
COUNTED(rmdir, is(AT_FDCWD, a), a, (const char *a), a)
COUNTED(remove, is(AT_FDCWD, a), a, (const char *a), a)
COUNTED(mkdir, !is(AT_FDCWD, a), a, (const char *a, mode_t mode), a, mode)
COUNTED(mkdirat, !is(f, a), a, (int f, const char *a, mode_t mode), f, a, mode)
