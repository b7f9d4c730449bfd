import Commands
import ConditionalHTTP
import Demonstration
import Foundation
import HTTPTypes
import NIOTransport
import Synchronization

/// The server of a demonstration: `freshet serve`, started, slowed down, killed and started again.
final class DemoServer: Sendable {
  private struct State {
    var child: ChildProcess?
    var slowdown: Task<Void, Never>?
    /// Whether it is ended for good: a change that is still carried out starts no other one.
    var isOver = false
  }

  private let programs: DemoPrograms
  private let folder: DemoFolder
  private let arguments: [String]
  private let state = Mutex(State())

  /// A server that is not started yet, with the arguments of `freshet serve` except for its port.
  init(_ programs: DemoPrograms, _ folder: DemoFolder, arguments: [String]) {
    self.programs = programs
    self.folder = folder
    self.arguments = arguments
  }

  /// Whether it is started.
  var isRunning: Bool { state.withLock { $0.child != nil } }

  /// Starts it on a free port.
  ///
  /// - Returns: The port.
  /// - Throws: ``CommandFailure`` with its last output if it ends or does not begin to serve.
  func start() async throws -> Int {
    let log = folder("server-\(UUID().uuidString).log")
    let child = try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      let child = try ChildProcess(
        programs.freshet,
        ["serve", "--port", "0"] + arguments,
        environment: programs.environment,
        folder: folder.path,
        log: log
      )
      state.child = child
      return child
    }
    folder.note(child)
    let deadline = ContinuousClock.now + .seconds(DemoLimits.startSeconds)
    while child.isRunning, ContinuousClock.now < deadline {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      if let found = text.firstMatch(of: /Serving http:\/\/127\.0\.0\.1:(\d+)\/\n/),
        let port = Int(found.1)
      {
        return port
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw CommandFailure("freshet-lab demo: the server did not start:\n\(tail(log))", .unavailable)
  }

  /// Waits until the board of a stop has realtime.
  ///
  /// - Parameters:
  ///   - port: The port of the server.
  ///   - stop: The id of the stop.
  /// - Throws: ``CommandFailure`` if that does not happen.
  static func hasRealtime(_ port: Int, at stop: String) async throws {
    let transport = try NIOExchange()
    let address = try HTTPAddress("http://127.0.0.1:\(port)")
    let request = address.request("/api/stationboard", query: [("stop_id", stop), ("limit", "1")])
    let deadline = ContinuousClock.now + .seconds(DemoLimits.startSeconds)
    var hasSome = false
    while !hasSome, ContinuousClock.now < deadline, !Task.isCancelled {
      let answer = try? await transport.send(request, timeout: .seconds(DemoLimits.endSeconds))
      hasSome = answer?.head.headerFields[.rtFetchedAt] != nil
      if !hasSome { try? await Task.sleep(for: .milliseconds(50)) }
    }
    await transport.shutdown()
    try Task.checkCancellation()
    guard hasSome else {
      throw CommandFailure("freshet-lab demo: the board gets no realtime", .unavailable)
    }
  }

  /// Waits until the server ends; a killed one has not ended by itself.
  ///
  /// - Throws: ``CommandFailure`` with its last output.
  func watch() async throws {
    while true {
      guard let child = state.withLock({ $0.child }) else {
        try await Task.sleep(for: .milliseconds(100))
        continue
      }
      let code = await child.ended() ?? 0
      try Task.checkCancellation()
      guard state.withLock({ $0.child === child }) else { continue }
      throw CommandFailure(
        "freshet-lab demo: the server ended with \(code); its output is in \(folder.path)/server-*.log",
        .software
      )
    }
  }

  /// Kills it, as `kill -9` does.
  func kill() async {
    setSlow(false)
    guard
      let child = state.withLock({ state in
        defer { state.child = nil }
        return state.child
      })
    else { return }
    child.signal(SIGKILL)
    await child.ended()
    folder.forget(child)
  }

  /// Ends it as SIGTERM does, for good.
  func end() async {
    setSlow(false)
    guard
      let child = state.withLock({ state in
        state.isOver = true
        defer { state.child = nil }
        return state.child
      })
    else { return }
    await child.end(within: DemoLimits.endSeconds)
    folder.forget(child)
  }

  /// Lets it run for a part of the time only, or always.
  func setSlow(_ isSlow: Bool) {
    state.withLock { state in
      state.slowdown?.cancel()
      state.slowdown = nil
      guard let child = state.child else { return }
      child.signal(SIGCONT)
      guard isSlow else { return }
      state.slowdown = Task {
        while !Task.isCancelled {
          child.signal(SIGSTOP)
          try? await Task.sleep(for: .milliseconds(DemoLimits.slowRound - DemoLimits.slowRun))
          child.signal(SIGCONT)
          try? await Task.sleep(for: .milliseconds(DemoLimits.slowRun))
        }
        child.signal(SIGCONT)
      }
    }
  }

  private func tail(_ log: String) -> String {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(10).joined(separator: "\n")
  }
}

extension HTTPField.Name {
  /// When the realtime was made that a board has; not every row of a board has some.
  fileprivate static let rtFetchedAt = Self("x-md-rt-fetched-at") ?? .age
}
