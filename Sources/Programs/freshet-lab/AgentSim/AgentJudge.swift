import AgentSimulation
import AgentWatch
import Agents
import Foundation
import Synchronization
import Workspaces

/// Watches simulated agents as the server does, and compares the shown state with the ground truth.
final class AgentJudge: Sendable {
  /// The true and the shown state of one worktree.
  private struct Case {
    var truth: Activity.State?
    var since = WallTime(milliseconds: 0)
    var shown: AgentActivity?
    var isOpen = false
  }

  private struct Record {
    var cases: [String: Case] = [:]
    var changes = 0
    var delays: [Int64] = []
    var short = 0
    var faults: [String] = []
  }

  /// The maximum number of faults that are described.
  private static let mostFaults = 20

  private let watch: AgentWatch
  private let worktrees: [String]
  private let slack: Int64
  private let record = Mutex(Record())
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - folders: The folders of the logs.
  ///   - simulation: The simulation whose agents are watched.
  ///   - slack: How long the state before a change may still be shown, in milliseconds.
  init(_ folders: AgentFolders, _ simulation: AgentSimulation, slack: Int64) {
    watch = AgentWatch(folders)
    worktrees = simulation.agents.map(\.worktree)
    self.slack = slack
    let readings = watch.readings()
    task.withLock {
      $0 = Task { [self] in
        await watch.follow(worktrees)
        for await (path, reading) in readings { show(reading.activity, path) }
      }
    }
  }

  /// Records an act.
  func note(_ act: SimulatedAct) {
    let now = AgentWatch.systemClock()
    let worktree = worktrees[act.agent]
    switch act.kind {
    case .inspect: Task { await watch.markSeen(worktree) }
    case .truth(let state, _):
      record.withLock { record in
        var one = record.cases[worktree] ?? Case()
        guard one.truth != state else { return }
        Self.close(&one, at: now, slack, worktree, &record)
        one.truth = state
        one.since = now
        one.isOpen = true
        record.changes += 1
        Self.compare(&one, at: now, &record)
        record.cases[worktree] = one
      }
    default: break
    }
  }

  private func show(_ activity: AgentActivity, _ worktree: String) {
    let now = AgentWatch.systemClock()
    record.withLock { record in
      var one = record.cases[worktree] ?? Case()
      let wasRight = one.truth.map { $0.rawValue == one.shown?.state.rawValue } ?? true
      one.shown = activity
      if wasRight, let truth = one.truth, truth.rawValue != activity.state.rawValue, !one.isOpen {
        // The shown state has become wrong: it counts from now on.
        one.since = now
        one.isOpen = true
      }
      Self.compare(&one, at: now, &record)
      record.cases[worktree] = one
    }
  }

  private static func compare(_ one: inout Case, at now: WallTime, _ record: inout Record) {
    guard one.isOpen, one.truth?.rawValue == one.shown?.state.rawValue else { return }
    one.isOpen = false
    record.delays.append(now.milliseconds(since: one.since))
  }

  /// Closes a state that was never shown, because another one has become true.
  private static func close(
    _ one: inout Case,
    at now: WallTime,
    _ slack: Int64,
    _ worktree: String,
    _ record: inout Record
  ) {
    guard one.isOpen, let truth = one.truth else { return }
    let age = now.milliseconds(since: one.since)
    guard age > slack else {
      record.short += 1
      return
    }
    record.delays.append(age)
    record.faults.append(
      "\(worktree): \(truth.rawValue) was not shown for \(age) ms; shown: "
        + "\(one.shown?.state.rawValue ?? "nothing") by \(one.shown?.source ?? "none")"
    )
  }

  /// Stops watching and closes open cases.
  func stop() {
    task.withLock { $0?.cancel() }
    let now = AgentWatch.systemClock()
    record.withLock { record in
      for (worktree, var one) in record.cases {
        Self.close(&one, at: now, slack, worktree, &record)
      }
    }
  }

  /// Whether every state was shown in time.
  var isContent: Bool {
    record.withLock { $0.faults.isEmpty && $0.delays.allSatisfy { $0 <= slack } }
  }

  /// A summary of the results.
  var summary: String {
    record.withLock { record in
      let delays = record.delays.sorted()
      func share(_ part: Double) -> Int64 {
        delays.isEmpty ? 0 : delays[min(Int(Double(delays.count) * part), delays.count - 1)]
      }
      let late = delays.filter { $0 > slack }.count
      var text = "\(record.changes) changes of state: \(delays.count) shown, half within"
      text += " \(share(0.5)) ms, 99 % within \(share(0.99)) ms, the last after"
      text += " \(delays.last ?? 0) ms; \(late) later than \(slack) ms;"
      text += " \(record.short) were over before\n"
      for fault in record.faults.prefix(Self.mostFaults) { text += "  \(fault)\n" }
      return text
    }
  }
}
