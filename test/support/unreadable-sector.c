/* Preloaded into a program: reads of one sector of one file fail, by whatever name the file has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { SECTOR = 4096 };

static int is_bad(int file, off_t at, size_t bytes) {
  static const char *inode, *offset;
  struct stat found;
  if (!inode && !(inode = getenv("UNREADABLE_INODE"))) return 0;
  if (!offset && !(offset = getenv("UNREADABLE_OFFSET"))) return 0;
  int before = errno;
  int is_it = fstat(file, &found) == 0 && found.st_ino == strtoull(inode, NULL, 10);
  errno = before;
  off_t bad = strtoll(offset, NULL, 10);
  return is_it && at < bad + SECTOR && at + (off_t)bytes > bad;
}

#define FAIL_IF(condition) do { if (condition) { errno = EIO; return -1; } } while (0)
#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

ssize_t pread64(int file, void *to, size_t bytes, off64_t at) {
  FAIL_IF(is_bad(file, at, bytes));
  return REAL(ssize_t (*)(int, void *, size_t, off64_t), "pread64")(file, to, bytes, at);
}

ssize_t pread(int file, void *to, size_t bytes, off_t at) {
  return pread64(file, to, bytes, at);
}

ssize_t read(int file, void *to, size_t bytes) {
  int before = errno;
  off_t at = lseek(file, 0, SEEK_CUR);
  errno = before;
  FAIL_IF(at >= 0 && is_bad(file, at, bytes));
  return REAL(ssize_t (*)(int, void *, size_t), "read")(file, to, bytes);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t bytes, unsigned int flags) {
  FAIL_IF(is_bad(in, from ? *from : lseek(in, 0, SEEK_CUR), bytes));
  return REAL(ssize_t (*)(int, off64_t *, int, off64_t *, size_t, unsigned int), "copy_file_range")(
      in, from, out, to, bytes, flags);
}

ssize_t sendfile64(int out, int in, off64_t *from, size_t bytes) {
  FAIL_IF(is_bad(in, from ? *from : lseek(in, 0, SEEK_CUR), bytes));
  return REAL(ssize_t (*)(int, int, off64_t *, size_t), "sendfile64")(out, in, from, bytes);
}

ssize_t sendfile(int out, int in, off_t *from, size_t bytes) {
  return sendfile64(out, in, from, bytes);
}

/* Node.js copies files with it. */
long syscall(long number, ...) {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int each = 0; each < 6; each += 1) a[each] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range) {
    off64_t *from = (off64_t *)a[1];
    FAIL_IF(is_bad((int)a[0], from ? *from : lseek((int)a[0], 0, SEEK_CUR), (size_t)a[4]));
  }
  return REAL(long (*)(long, ...), "syscall")(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
