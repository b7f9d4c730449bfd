/// The processes of a runner that have not ended, and how far the end of the program has come.
struct RunningProcesses {
  private var all: [ObjectIdentifier: GitProcess] = [:]
  private var isClosed = false
  /// Whether the program is about to end: each process that is still started has ``WatchLimits/stopGrace`` only.
  private(set) var isHurried = false

  /// Whether all have ended.
  var isEmpty: Bool { all.isEmpty }

  /// Prepares a process.
  ///
  /// - Parameter start: Its parameters.
  /// - Returns: The process; `nil` if no more may be started.
  mutating func add(_ start: GitProcess.Start) -> GitProcess? {
    guard !isClosed else { return nil }
    var start = start
    if isHurried { start.timeout = min(start.timeout, WatchLimits.stopGrace) }
    let process = GitProcess(start)
    all[ObjectIdentifier(process)] = process
    return process
  }

  /// Forgets one that has ended.
  mutating func remove(_ process: GitProcess) { all[ObjectIdentifier(process)] = nil }

  /// Lets those that are added from now on have little time, and returns those that change something.
  mutating func hurry() -> [GitProcess] {
    isHurried = true
    return all.values.filter(\.changesSomething)
  }

  /// Lets no more be added and returns those that are there.
  mutating func close() -> [GitProcess] {
    isClosed = true
    return Array(all.values)
  }
}
