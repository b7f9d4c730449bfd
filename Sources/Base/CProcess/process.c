#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The numbers of calls that the headers of older systems do not have; they are the same on every architecture. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define CLOSE_ON_EXEC (1U << 2)
/* From linux/kcmp.h. */
#define COMPARE_FILES 2
#define COMPARE_FOLDERS 3

/* From linux/landlock.h, which older systems do not have. */
struct rules_attributes {
  uint64_t handled;
};
struct rules_path {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));
#define RULES_VERSION (1U << 0)
#define RULES_PATH 1

enum {
  EXECUTE = 1ULL << 0,
  WRITE_FILE = 1ULL << 1,
  REMOVE_DIR = 1ULL << 4,
  REMOVE_FILE = 1ULL << 5,
  MAKE_CHAR = 1ULL << 6,
  MAKE_DIR = 1ULL << 7,
  MAKE_REG = 1ULL << 8,
  MAKE_SOCK = 1ULL << 9,
  MAKE_FIFO = 1ULL << 10,
  MAKE_BLOCK = 1ULL << 11,
  MAKE_SYM = 1ULL << 12,
  REFER = 1ULL << 13,
  TRUNCATE = 1ULL << 14,
};

/* Runs in the child of vfork, which shares the memory of this process: nothing but system calls. */
static int enter(const struct process_start *start) {
  int from[3] = {start->input, start->output, start->error};
  setpgid(0, 0);
  struct sigaction usual = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
  for (int place = 0; place < 3; place++) {
    from[place] = fcntl(from[place], F_DUPFD_CLOEXEC, 10);
    if (from[place] < 0) return errno;
  }
  for (int place = 0; place < 3; place++) {
    if (dup2(from[place], place) < 0) return errno;
  }
  if (chdir(start->folder) != 0) return errno;
  /* What another thread opened without O_CLOEXEC stays here. */
  syscall(SYS_close_range, 3U, UINT_MAX, CLOSE_ON_EXEC);
  if (start->data > 0) {
    struct rlimit most = {.rlim_cur = start->data, .rlim_max = start->data};
    if (setrlimit(RLIMIT_DATA, &most) != 0 && errno != EPERM) return errno;
  }
  if (start->rules >= 0) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (syscall(SYS_landlock_restrict_self, start->rules, 0) != 0) return errno;
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(start->path, start->arguments, start->environment);
  return errno;
}

int process_spawn(const struct process_start *start, pid_t *process) {
  volatile int failure = 0;
  sigset_t all, before;
  sigfillset(&all);
  /* No handler of this process runs in the child. */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = vfork();
  if (child == 0) {
    failure = enter(start);
    _exit(127);
  }
  if (child < 0) failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (child > 0 && failure != 0) process_reap(child);
  if (failure == 0) *process = child;
  return failure;
}

bool process_threads_share(pid_t one, pid_t other) {
  return syscall(SYS_kcmp, one, other, COMPARE_FILES, 0UL, 0UL) == 0 &&
         syscall(SYS_kcmp, one, other, COMPARE_FOLDERS, 0UL, 0UL) == 0;
}

int process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0U); }

void process_wait(pid_t process) {
  siginfo_t information;
  while (waitid(P_PID, (id_t)process, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
}

int process_reap(pid_t process) {
  int status = 0;
  pid_t answer;
  do answer = waitpid(process, &status, 0);
  while (answer < 0 && errno == EINTR);
  if (answer < 0) return 255;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int process_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

int rules_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, RULES_VERSION);
  return version < 0 ? 0 : (int)version;
}

static uint64_t rights(int restricted) {
  uint64_t found = 0;
  if (restricted & RULE_EXECUTE) found |= EXECUTE;
  if (restricted & RULE_WRITE) {
    found |= WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_CHAR | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO |
             MAKE_BLOCK | MAKE_SYM;
    int version = rules_version();
    if (version >= 2) found |= REFER;
    if (version >= 3) found |= TRUNCATE;
  }
  return found;
}

int rules_make(int restricted) {
  struct rules_attributes attributes = {.handled = rights(restricted)};
  return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0U);
}

int rules_allow(int rules, int restricted, int allowed, const char *path) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return errno;
  struct stat facts;
  uint64_t granted = rights(restricted & allowed);
  if (fstat(descriptor, &facts) == 0 && !S_ISDIR(facts.st_mode)) {
    granted &= EXECUTE | WRITE_FILE | TRUNCATE;
  }
  struct rules_path rule = {.allowed = granted, .parent = descriptor};
  int failure = syscall(SYS_landlock_add_rule, rules, RULES_PATH, &rule, 0U) == 0 ? 0 : errno;
  close(descriptor);
  return failure;
}
