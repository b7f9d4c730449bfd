import Commands
import Demonstration

/// Carries out what is broken and mended, one change after the other.
actor DemoDriver {
  private let state: DemoState
  private let server: DemoServer
  private let agents: DemoAgents
  private let repository: ScratchRepository
  private let proxy: PageProxy
  private var last: Task<Void, any Error>?

  init(
    state: DemoState,
    server: DemoServer,
    agents: DemoAgents,
    repository: ScratchRepository,
    proxy: PageProxy
  ) {
    self.state = state
    self.server = server
    self.agents = agents
    self.repository = repository
    self.proxy = proxy
  }

  /// Breaks or mends things, and waits until that has been done.
  ///
  /// - Throws: ``CommandFailure`` if a step fails.
  func change(_ change: @Sendable (inout Breakage) -> Void) async throws {
    state.change(change)
    let before = last
    let task = Task {
      _ = await before?.result
      for step in state.takeSteps() { try await carryOut(step) }
    }
    last = task
    try await task.value
  }

  private func carryOut(_ step: Breakage.Step) async throws {
    switch step {
    case .producer(let trouble): state.set(trouble)
    case .agents(let areFrozen): agents.setFrozen(areFrozen)
    case .git(let hangs): try repository.setHanging(hangs)
    case .network(let isCut): proxy.setCut(isCut)
    case .server(.killed):
      proxy.connect(to: nil)
      await server.kill()
    case .server(let wanted):
      if !server.isRunning { proxy.connect(to: try await server.start()) }
      server.setSlow(wanted == .slow)
    }
  }
}
