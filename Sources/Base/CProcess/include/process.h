#ifndef FRESHET_PROCESS_H
#define FRESHET_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A program to start.
struct process_start {
  /// The path of the program.
  const char *path;
  /// The arguments, including the name, terminated by NULL.
  char *const *arguments;
  /// `NAME=value` strings, terminated by NULL.
  char *const *environment;
  /// The working directory.
  const char *folder;
  /// The descriptors for standard input, output and error.
  int input, output, error;
  /// A Landlock ruleset that restricts the program, or -1.
  int rules;
  /// The most bytes of private writable memory of the program and of each one that it starts
  /// (RLIMIT_DATA, getrlimit(2)); 0 for no limit.
  uint64_t data;
};

/// Starts a program in its own process group, with default signal handling.
///
/// Returns 0 and the process, or an error number.
int process_spawn(const struct process_start *start, pid_t *process);

/// Whether two threads have the same open files and the same working folder (kcmp(2)); false if the kernel does not tell.
bool process_threads_share(pid_t one, pid_t other);

/// Returns a descriptor that becomes readable when a process has ended, or -1 if the system has
/// none.
int process_descriptor(pid_t process);

/// Waits until a process has ended, without reaping it.
void process_wait(pid_t process);

/// Reaps a process that has ended. Returns its exit status, or the negated number of the signal
/// that ended it.
int process_reap(pid_t process);

/// Creates a pipe that programs do not inherit. Returns 0, or an error number.
int process_pipe(int *read_end, int *write_end);

/// The access that rulesets restrict (landlock(7)).
enum {
  RULE_EXECUTE = 1,
  RULE_WRITE = 2,
};

/// Returns the version of Landlock in the kernel, or 0 without it.
int rules_version(void);

/// Creates a ruleset that forbids the given access until paths are allowed. Returns a descriptor,
/// or -1.
int rules_make(int restricted);

/// Allows a file, or a folder with its contents. Returns 0, or an error number.
int rules_allow(int rules, int restricted, int allowed, const char *path);

#endif
