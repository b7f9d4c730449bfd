import AgentWatch
import Agents
import CProcess
import Commands
import Foundation
import Synchronization

/// A program that a demonstration has started, in a process group of its own.
final class ChildProcess: Sendable {
  /// What it is to the kernel.
  let identity: ProcessIdentity

  private struct State {
    /// The exit status, or the negated number of the signal, once it has ended.
    var code: Int32?
    var waiters: [UUID: CheckedContinuation<Int32?, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Its environment.
  ///   - folder: Its working folder.
  ///   - log: The file at whose end its output is written.
  /// - Throws: ``CommandFailure`` if it cannot be started.
  init(
    _ path: String,
    _ arguments: [String],
    environment: [String: String],
    folder: String,
    log: String
  ) throws {
    let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw Self.failure(log, errno) }
    defer { close(output) }
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    func words(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { text in strdup(text) } + [nil]
    }
    let arguments = words([path] + arguments)
    let variables = words(environment.map { "\($0)=\($1)" })
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let error = path.withCString { path in
      folder.withCString { folder in
        arguments.withUnsafeBufferPointer { arguments in
          variables.withUnsafeBufferPointer { variables in
            var start = process_start()
            start.path = path
            start.arguments = arguments.baseAddress
            start.environment = variables.baseAddress
            start.folder = folder
            start.input = input
            start.output = output
            start.error = output
            start.rules = -1
            return process_spawn(&start, &process)
          }
        }
      }
    }
    guard error == 0 else { throw Self.failure(path, error) }
    identity = ProcessTable().identity(of: process) ?? ProcessIdentity(number: process, start: 0)
    Thread.detachNewThread { [self] in
      process_wait(identity.number)
      let (code, waiters) = state.withLock { state in
        // From here on nothing is sent to the number, which may be another's.
        let code = process_reap(identity.number)
        defer { state.waiters = [:] }
        state.code = code
        return (code, state.waiters.values)
      }
      for waiter in waiters { waiter.resume(returning: code) }
    }
  }

  private static func failure(_ what: String, _ error: Int32) -> CommandFailure {
    CommandFailure("freshet-lab demo: \(what): \(String(cString: strerror(error)))", .system)
  }

  /// Whether it has not ended.
  var isRunning: Bool { state.withLock { $0.code == nil } }

  /// Sends it a signal, if it has not ended.
  func signal(_ number: Int32) {
    state.withLock { if $0.code == nil { kill(identity.number, number) } }
  }

  /// Waits for its end.
  ///
  /// - Returns: Its exit status, or the negated number of the signal that ended it; `nil` if the task is canceled before.
  @discardableResult
  func ended() async -> Int32? {
    let waiter = UUID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isOver = state.code != nil || Task.isCancelled
          if !isOver { state.waiters[waiter] = continuation }
          return isOver
        }
        if isOver { continuation.resume(returning: state.withLock(\.code)) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil)
    }
  }

  /// Ends it: SIGTERM, and SIGKILL after a while.
  ///
  /// - Parameter seconds: How long it has.
  func end(within seconds: Int) async {
    signal(SIGCONT)
    signal(SIGTERM)
    let killer = Task {
      try await Task.sleep(for: .seconds(seconds))
      signal(SIGKILL)
    }
    // The task that ends it may itself be canceled.
    _ = await Task { await ended() }.value
    killer.cancel()
  }
}
