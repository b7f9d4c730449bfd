#ifndef FRESHET_PROCESS_H
#define FRESHET_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/// A program that is about to be started.
struct process_start {
  /// The program's path.
  const char *path;
  /// Its arguments, the name first, ended by NULL.
  char *const *arguments;
  /// `NAME=value`, ended by NULL.
  char *const *environment;
  /// The folder it runs in.
  const char *folder;
  /// The descriptors that become its input, output and error output.
  int input, output, error;
  /// A set of rules that restricts it, or -1.
  int rules;
};

/// Starts a program in a process group of its own, with the usual handling of signals.
///
/// Returns 0 and the process, or the number of an error.
int process_spawn(const struct process_start *start, pid_t *process);

/// A descriptor that becomes readable when a process has ended; -1 if the system has none.
int process_descriptor(pid_t process);

/// Waits until a process has ended, without forgetting it.
void process_wait(pid_t process);

/// Forgets a process that has ended. Returns its exit status; negative for the signal that ended it.
int process_reap(pid_t process);

/// Makes a pipe that programs do not inherit. Returns 0, or the number of an error.
int process_pipe(int *read_end, int *write_end);

/// What rules restrict (landlock(7)).
enum {
  RULE_EXECUTE = 1,
  RULE_WRITE = 2,
};

/// The version of the kernel's rules; 0 if it has none.
int rules_version(void);

/// Makes a set of rules that forbids what is given, until paths are allowed. Returns a descriptor, or -1.
int rules_make(int restricted);

/// Allows a file, or a folder with everything in it. Returns 0, or the number of an error.
int rules_allow(int rules, int restricted, int allowed, const char *path);

#endif
