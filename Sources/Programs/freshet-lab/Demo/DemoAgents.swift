import Commands
import Demonstration
import Foundation
import Synchronization

/// The simulated agents of a demonstration: `freshet-lab agent-sim`, started again when its time is over.
final class DemoAgents: Sendable {
  /// How many times faster than real agents they work, so that a visitor sees something happen.
  private static let pace = 12
  /// How long one simulation is, in minutes of the agents' time.
  private static let minutes = 10_080

  private struct State {
    var child: ChildProcess?
    var seed = 0
    var isFrozen = false
    var isOver = false
  }

  private let programs: DemoPrograms
  private let folder: DemoFolder
  private let worktrees: [String]
  private let state = Mutex(State())

  /// Agents that are not started yet, one for each worktree.
  init(_ programs: DemoPrograms, _ folder: DemoFolder, worktrees: [String]) {
    self.programs = programs
    self.folder = folder
    self.worktrees = worktrees
  }

  /// Starts them.
  func start() throws {
    let seed = state.withLock { state in
      state.seed += 1
      return state.seed
    }
    let child = try ChildProcess(
      programs.laboratory,
      [
        "agent-sim", "--home", folder("agents"), "--truth", folder("agents.jsonl"), "--pace",
        String(Self.pace), "--minutes", String(Self.minutes), "--seed", String(seed), "--edit",
        "--commit", "--worktrees",
      ] + worktrees,
      environment: programs.environment,
      folder: folder.path,
      log: folder("agents.log")
    )
    folder.note(child)
    state.withLock { state in
      state.child = child
      if state.isFrozen { child.signal(SIGSTOP) }
    }
  }

  /// Starts them again whenever their time is over.
  ///
  /// - Throws: ``CommandFailure`` if they end otherwise.
  func watch() async throws {
    while let child = state.withLock(\.child) {
      let code = await child.ended()
      try Task.checkCancellation()
      folder.forget(child)
      guard !state.withLock(\.isOver) else { return }
      guard code == 0 else {
        throw CommandFailure(
          "freshet-lab demo: the agents ended with \(code ?? 0); their output is in \(folder("agents.log"))",
          .software
        )
      }
      try start()
    }
  }

  /// Stops them where they are, or lets them continue.
  func setFrozen(_ isFrozen: Bool) {
    state.withLock { state in
      state.isFrozen = isFrozen
      state.child?.signal(isFrozen ? SIGSTOP : SIGCONT)
    }
  }

  /// Ends them.
  func end() async {
    let child = state.withLock { state in
      state.isOver = true
      return state.child
    }
    await child?.end(within: DemoLimits.endSeconds)
    if let child { folder.forget(child) }
  }
}
