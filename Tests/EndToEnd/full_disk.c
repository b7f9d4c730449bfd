// Makes the disk of one program full, and of nothing else: a library to be loaded before the others.
//
// While the file that $FULL_DISK names is there, nothing can be written to regular files.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int full(int file) {
  const char *path = getenv("FULL_DISK");
  struct stat facts;
  return path && access(path, F_OK) == 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
}

#define WRITER(name, type, parameters, arguments)                       \
  type name parameters {                                                \
    static type(*next) parameters;                                      \
    if (!next) next = (type(*) parameters)dlsym(RTLD_NEXT, #name);      \
    if (full(file)) {                                                   \
      errno = ENOSPC;                                                   \
      return -1;                                                        \
    }                                                                   \
    return next arguments;                                              \
  }

WRITER(write, ssize_t, (int file, const void *bytes, size_t count), (file, bytes, count))
WRITER(pwrite, ssize_t, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at))
WRITER(pwrite64, ssize_t, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at))
