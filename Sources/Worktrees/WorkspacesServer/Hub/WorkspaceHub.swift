import Serving
import Synchronization
package import Workspaces
package import WorktreeWatch

/// Shows in a store what other machines report of their worktrees.
package final class WorkspaceHub: Sendable {
  private struct State {
    var table = MachineTable()
    var tokens: MachineTokens
    /// Distinguishes the content of the file of machines from another one.
    var stamp: [Int]?
    /// Whether the file is being read.
    var isReading = false
    /// Why the file cannot be used as it is now.
    var fault: String?
    var accepted = 0
    var refused = 0
  }

  /// Whether the server itself watches no folder.
  package let isAlone: Bool
  private let path: String
  private let store: WorkspaceStore
  private let state: Mutex<State>
  private let start = ContinuousClock.now

  /// Reads the file of machines.
  ///
  /// - Parameters:
  ///   - path: The file, which is read again when it changes.
  ///   - store: Where the worktrees are shown.
  ///   - isAlone: Whether the server itself watches no folder.
  /// - Throws: ``MachineTokens/Fault`` if the file cannot be read or is wrong.
  package init(machines path: String, store: WorkspaceStore, isAlone: Bool) throws {
    self.path = path
    self.store = store
    self.isAlone = isAlone
    let stamp = HostFile.stamp(path)
    let tokens = try Self.read(path)
    var table = MachineTable()
    _ = table.admit(tokens.names)
    state = Mutex(State(table: table, tokens: tokens, stamp: stamp))
  }

  private static func read(_ path: String) throws(MachineTokens.Fault) -> MachineTokens {
    guard let bytes = HostFile.bytes(path, limit: ReportLimits.fileBytes) else {
      throw MachineTokens.Fault(
        description: "it cannot be read, or has more than \(ReportLimits.fileBytes) bytes"
      )
    }
    return try MachineTokens(String(decoding: bytes, as: UTF8.self))
  }

  /// This instant.
  package var now: MachineTable.Instant {
    let passed = start.duration(to: .now).components
    return MachineTable.Instant(
      time: Double(passed.seconds) + Double(passed.attoseconds) / 1e18,
      wall: WatchClock.wall
    )
  }

  /// The machine whose token is given; `nil` if it is that of none.
  package func machine(of token: String) -> String? {
    state.withLock { $0.tokens }.machine(of: token)
  }

  /// Whether a machine may send a report now, and counts it; ``endReading(_:)`` follows if it may.
  package func allows(_ machine: String) -> Bool {
    let now = now
    return state.withLock { state in
      let isAllowed = state.table.allows(machine, at: now)
      if !isAllowed { state.refused += 1 }
      return isAllowed
    }
  }

  /// A report that was allowed is read, or given up.
  package func endReading(_ machine: String) {
    state.withLock { $0.table.endReading(machine) }
  }

  /// The machines, ordered by name.
  package var machines: [MachineStatus] {
    let now = now
    return state.withLock { $0.table.statuses(at: now) }
  }

  /// Takes a report of a machine.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - machine: The machine.
  ///   - token: The token that it sent with it, which may have been revoked since.
  ///   - began: When the report began to come.
  /// - Throws: ``MachineTable/Refusal``.
  package func handle(
    _ report: WorkspaceReport,
    from machine: String,
    token: String,
    at began: MachineTable.Instant
  ) throws(MachineTable.Refusal) {
    let now = now
    // Changes reach the store in the order of the reports.
    try state.withLock { state throws(MachineTable.Refusal) in
      do throws(MachineTable.Refusal) {
        guard state.tokens.machine(of: token) == machine else {
          throw MachineTable.Refusal(
            problem: .machineForbidden,
            detail: "the token of \(machine) has been revoked"
          )
        }
        apply(try state.table.handle(report, from: machine, at: began, until: now))
        state.accepted += 1
      } catch {
        state.refused += 1
        throw error
      }
    }
  }

  private func apply(_ changes: [MachineTable.Change]) {
    let asked = WatchClock.elapsed
    for first in stride(from: 0, to: changes.count, by: ReportLimits.changesAtOnce) {
      // Readers of the store wait for a part only.
      store.update { registry in
        var isOther = false
        for change in changes[first...].prefix(ReportLimits.changesAtOnce) {
          switch change {
          case .put(let workspace, let since):
            let askedAt = workspace.gitAge.map { asked - $0 }
            isOther = registry.put(workspace, askedAt: askedAt, activitySince: since) || isOther
          case .remove(let id):
            registry.remove(id)
            isOther = true
          }
        }
        return isOther
      }
    }
  }

  /// Finds machines that have become unreachable, and changes of the file, until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchAges() }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(ReportLimits.checkEvery))) != nil {
          self.startReload()
        }
      }
    }
  }

  private func watchAges() async {
    while !Task.isCancelled {
      let deadline = state.withLock { $0.table.deadline }
      let pause = (deadline ?? .infinity) - now.time
      try? await Task.sleep(for: .seconds(min(max(pause, 0.1), ReportLimits.checkEvery)))
      let now = now
      state.withLock { apply($0.table.expire(at: now)) }
    }
  }

  /// Reads the file again, unless a read is still in progress: a file system that does not answer holds up nothing else.
  private func startReload() {
    let isFirst = state.withLock { state in
      defer { state.isReading = true }
      return !state.isReading
    }
    guard isFirst else { return }
    let isStarted = HostThread.start { [self] in
      reload()
      state.withLock { $0.isReading = false }
    }
    if !isStarted { state.withLock { $0.isReading = false } }
  }

  /// Reads the file again if it is another; a wrong one changes nothing.
  func reload() {
    let stamp = HostFile.stamp(path)
    guard state.withLock({ $0.stamp != stamp }) else { return }
    let read: Result<MachineTokens, MachineTokens.Fault>
    do throws(MachineTokens.Fault) {
      read = .success(try Self.read(path))
    } catch {
      read = .failure(error)
    }
    state.withLock { state in
      state.stamp = stamp
      switch read {
      case .success(let tokens):
        state.tokens = tokens
        state.fault = nil
        apply(state.table.admit(tokens.names))
      case .failure(let fault):
        state.fault = fault.description
      }
    }
  }

  /// What is wrong with the file of machines now; `nil` if nothing is.
  var fault: String? {
    state.withLock { $0.fault }.map { "the file of machines is not used as it is now: \($0)" }
  }

  /// Writes the measurements of the hub.
  func write(to text: inout MetricsText) {
    let machines = machines
    let (accepted, refused) = state.withLock { ($0.accepted, $0.refused) }
    text.add(
      "freshet_workspaces_machines",
      .gauge,
      "Machines that may report, by whether they are heard of",
      [WorkspaceMachine.State.live, .unreachable].map { state in
        let count = machines.count { $0.state == state }
        return (labels: [("state", state.rawValue)], value: Double(count))
      }
    )
    text.add(
      "freshet_workspaces_reports_total",
      .counter,
      "Reports of machines",
      [("accepted", accepted), ("refused", refused)].map { name, count in
        (labels: [("result", name)], value: Double(count))
      }
    )
  }
}
