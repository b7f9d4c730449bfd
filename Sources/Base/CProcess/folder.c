#define _GNU_SOURCE
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif

int folder_open(int parent, const char *name) {
  return openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int folder_move(int from, const char *name, int to, const char *other) {
  if (syscall(SYS_renameat2, from, name, to, other, RENAME_NOREPLACE) == 0) return 0;
  /* Some file systems do not know the flag. */
  if (errno != EINVAL && errno != ENOSYS) return errno;
  struct stat facts;
  if (fstatat(to, other, &facts, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return renameat(from, name, to, other) == 0 ? 0 : errno;
}
