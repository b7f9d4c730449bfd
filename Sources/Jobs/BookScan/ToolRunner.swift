import Foundation
import Subprocess
import SystemPackage

/// Runs programs with limits on their time, memory, files and output.
///
/// The limits are those of the system: a program that a photo makes ask for more fails, and nothing else does.
struct ToolRunner: Sendable {
  /// How a program ended.
  struct Result: Sendable {
    var status: Int32
    var output: String
    /// Its error output.
    var errors: String

    /// The last line of its complaints.
    var lastError: String {
      errors.split(separator: "\n").last.map { String($0.prefix(200)) } ?? ""
    }

    /// Whether it asked for more than it may have.
    var wasTooMuch: Bool {
      // Killed for the time of a processor or the size of a file.
      if [128 + SIGXCPU, 128 + SIGXFSZ].contains(status) { return true }
      let words = ["exhausted", "allocat", "out of memory", "exceeds limit", "too big"]
      return words.contains { errors.localizedCaseInsensitiveContains($0) }
    }
  }

  /// How long a program has to end after it was asked to.
  static let grace = Duration.seconds(1)

  let limits: ScanLimits
  /// The folders with programs; the process's own if `nil`.
  let searchPath: String?

  /// Where a program is; `nil` if it is not installed.
  func path(of command: String) -> String? {
    let folders = searchPath ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(command)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Sets the limits and becomes the program; one that is lower already stays.
  private var limiting: String {
    let seconds = max(1, limits.toolTime.components.seconds)
    let settings = [
      "-c 0", "-t \(seconds)", "-n \(limits.toolFiles)", "-v \(limits.toolMemory >> 10)",
      "-f \(limits.toolFile >> 9)",
    ]
    return settings.map { "ulimit \($0) 2>/dev/null; " }.joined() + "exec \"$0\" \"$@\""
  }

  /// Runs a program to its end.
  ///
  /// It gets no input and a small environment. When its time is over, or the task is cancelled, it is asked to
  /// end, and killed a second later.
  ///
  /// - Throws: ``ScanError``, or `CancellationError`.
  func run(
    _ command: String,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws -> Result {
    guard let path = path(of: command) else {
      throw ScanError(.toolMissing, "\(command) is not installed")
    }
    var variables: [Environment.Key: String] = [
      "PATH": searchPath ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
      // A scan takes one processor: the threads of OpenMP would wait for each other in loops.
      "OMP_THREAD_LIMIT": "1",
    ]
    for (name, value) in environment {
      if let key = Environment.Key(rawValue: name) { variables[key] = value }
    }
    if let data = ProcessInfo.processInfo.environment["TESSDATA_PREFIX"] {
      variables["TESSDATA_PREFIX"] = data
    }
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.grace)]
    let configuration = Configuration(
      executable: .path("/bin/sh"),
      arguments: Arguments(["-c", limiting, path] + arguments),
      environment: .custom(variables),
      platformOptions: options
    )
    guard SpareDescriptors.areThere() else {
      throw ScanError(.toolFailed, "\(command) could not be run: too many open files")
    }
    let limits = limits
    let outcome = try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        let ended = try await Subprocess.run(
          configuration,
          output: .bytes(limit: limits.toolBytes),
          error: .bytes(limit: 64 << 10)
        )
        let status: Int32 =
          switch ended.terminationStatus {
          case .exited(let code): code
          case .signaled(let signal): 128 + signal
          }
        let errors = String(decoding: ended.standardError, as: UTF8.self)
        return Result(
          status: status,
          output: String(decoding: ended.standardOutput, as: UTF8.self),
          errors: errors
        )
      }
      group.addTask {
        try await Task.sleep(for: limits.toolTime)
        return nil
      }
      defer { group.cancelAll() }
      do {
        return try await group.next() ?? nil
      } catch let error where !(error is CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        throw ScanError(.toolFailed, "\(command) could not be run: \(error)")
      }
    }
    try Task.checkCancellation()
    guard let outcome else {
      throw ScanError(.timedOut, "\(command) took longer than \(limits.toolTime)")
    }
    return outcome
  }
}
