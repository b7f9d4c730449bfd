/// The bounds of what machines report to a hub, in one place; times are in seconds.
package enum ReportLimits {
  /// The longest time between two reports of a machine on which nothing changes.
  package static let heartbeat = 15.0
  /// The shortest time between two reports of a machine.
  package static let spacing = 1.0
  /// How old what is shown of a machine may be before the machine counts as unreachable.
  package static let unreachableAfter = 45.0
  /// How often the hub checks for that, and whether its file of machines has changed.
  package static let checkEvery = 5.0
  /// How long a reporter waits for a response, and a hub for the rest of a report.
  package static let timeout = 10.0
  /// The wait after the first failure; twice as long after each further one.
  package static let firstPause = 1.0
  /// The longest wait after a failure, and the one after a refusal.
  package static let longestPause = 60.0
  /// The longest Retry-After that a reporter obeys.
  package static let longestRetryAfter = 300.0
  /// How far the wall clock of a machine may be off before its instants are corrected.
  package static let clockTolerance = 2.0
  /// How long a reporter that ends waits until the hub knows.
  package static let lastReportSeconds = 2.0

  /// The most machines of a hub.
  package static let machines = 128
  /// The most worktrees of a machine.
  package static let worktrees = 1_024
  /// The most bytes of the strings of a machine's worktrees.
  package static let machineBytes = 1 << 20
  /// The most bytes of a report.
  package static let reportBytes = 8 << 20
  /// The reports that a machine may send at once.
  package static let burst = 10.0
  /// The reports of a machine per second in the long run.
  package static let reportsPerSecond = 2.0
  /// The changes of the list that count as one report more, and that are made without a pause for readers.
  package static let changesAtOnce = 64
  /// The reports of a machine that are read at the same time.
  package static let readings = 2
  /// The replaced reporters of a machine that are remembered.
  package static let replaced = 16

  /// The most bytes of the name of a machine.
  package static let nameBytes = 64
  /// The most bytes of an id, a path, or the name of a branch or a repository.
  package static let pathBytes = 4_096
  /// The most bytes of a prompt, a message or a reason.
  package static let textBytes = 2_000
  /// The most bytes of any other string.
  package static let wordBytes = 400
  /// The most todos of a worktree.
  package static let todos = 64
  /// The most agents of a worktree.
  package static let agents = 16
  /// The most titles of earlier sessions of a worktree.
  package static let titles = 16
  /// The most paths in conflict of a worktree.
  package static let conflicts = 100
  /// The most programs of a repository's configuration.
  package static let programs = 20
  /// The most bytes of the file of machines.
  package static let fileBytes = 64 << 10
}
