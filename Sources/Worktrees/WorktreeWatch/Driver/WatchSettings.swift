/// The folders of a watcher, and its pace.
package struct WatchSettings: Sendable {
  /// The folders to find repositories in.
  package var roots: [String]
  /// See ``WatchLimits/quiet``.
  package var quiet = WatchLimits.quiet
  /// See ``WatchLimits/longestDelay``.
  package var longestDelay = WatchLimits.longestDelay
  /// See ``WatchLimits/spacing``.
  package var spacing = WatchLimits.spacing
  /// See ``WatchLimits/reconcile``.
  package var reconcile = WatchLimits.reconcile
  /// See ``WatchLimits/pollEvery``.
  package var pollEvery = WatchLimits.pollEvery
  /// See ``WatchLimits/firstPatience``.
  package var firstPatience = WatchLimits.firstPatience
  /// The most watches of the kernel; 0 polls everything.
  package var watches = Inotify.share(percent: WatchLimits.inotifyShare)
  /// The name of the file system of a path, if not all changes on it make events.
  package var lacksEvents: @Sendable (String) -> String? = { FileSystemEvents.lacking($0) }

  /// Watches some folders with the usual times.
  package init(roots: [String]) { self.roots = roots }
}

/// The counters of a watcher.
package struct WatchMetrics: Hashable, Sendable {
  /// Repositories that are known.
  package var repositories = 0
  /// Worktrees that are known.
  package var worktrees = 0
  /// Worktrees whose content cannot be watched, so that they are polled.
  package var polled = 0
  /// Folders that are watched.
  package var watches = 0
  /// Events of watched folders.
  package var events: Int64 = 0
  /// Scans of worktrees that ended.
  package var scans = 0
  /// Scans that failed.
  package var failures = 0
  /// Git processes by command.
  package var processes: [String: Int] = [:]
  /// Whether a limit keeps repositories or worktrees out.
  package var isCut = false
  /// Given folders that do not exist.
  package var missingRoots: [String] = []
}
