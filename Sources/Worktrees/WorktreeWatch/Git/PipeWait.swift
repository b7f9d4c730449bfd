import Glibc

/// Finds out whether a git waits for the other end of a pipe to be opened that is in the place of a file.
///
/// Git has no limit of time for that, and no file of a repository is a pipe: what waits so would wait until it is killed.
enum PipeWait {
  /// Whether a process, or a git that it started, waits so.
  ///
  /// - Parameter process: The process.
  /// - Returns: Whether it does, as far as the kernel reports (proc_pid_wchan(5)).
  static func isWaiting(_ process: pid_t) -> Bool {
    var open = [process]
    var count = 0
    while let next = open.popLast(), count < WatchLimits.parentFolders {
      count += 1
      let entry = "/proc/\(next)"
      if next == process || HostFile.text("\(entry)/comm") == "git",
        HostFile.text("\(entry)/wchan") == "wait_for_partner"
      {
        return true
      }
      let children = HostFile.text("\(entry)/task/\(next)/children") ?? ""
      open += children.split(separator: " ").compactMap { pid_t($0) }
    }
    return false
  }
}
