import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// Runs git: never too many at a time, never too long, never with more output than is bearable.
///
/// It takes no optional locks, asks nobody for a password and, for what only reads, runs no hook, monitor, pager,
/// or program for diffs that a configuration names, and fetches nothing. Two kinds of programs do run, because
/// without them the answer would be another than git's own: `filter.*.clean` and `filter.*.process` when a file
/// is compared whose times or size are others than in the index, and `merge.*.driver` when a merge is tried.
package final class GitRunner: Sendable {
  /// What git answered.
  package struct Answer: Sendable {
    /// What it wrote.
    package var output: [UInt8]
    /// What it complained about.
    package var complaint: String
    /// The code it ended with; negative for a signal.
    package var code: Int32

    /// What it wrote as text without white space at the end.
    package var text: String {
      var output = output[...]
      while let last = output.last, last <= 0x20 { output.removeLast() }
      return String(decoding: output, as: UTF8.self)
    }
  }

  /// Why there is no answer.
  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// It took longer than it may, in seconds.
    case timeout(String, seconds: Double)
    /// It wrote more than is read.
    case tooMuch(String)
    /// It ended with a code that means failure.
    case failed(String, code: Int32, complaint: String)
    /// It could not be started.
    case notStarted(String)
    /// What it wrote is not of its format.
    case unreadable(String)

    /// The reason in one line.
    package var description: String {
      switch self {
      case .timeout(let command, let seconds): "git \(command) took longer than \(seconds) s"
      case .tooMuch(let command):
        "git \(command) wrote more than \(WatchLimits.outputBytes) bytes"
      case .failed(let command, let code, let complaint):
        "git \(command) failed with \(code): \(complaint)"
      case .notStarted(let reason): "git could not be started: \(reason)"
      case .unreadable(let reason): reason
      }
    }
  }

  /// How many processes were started, by their command.
  package var started: [String: Int] { counts.withLock { $0 } }

  private let gate: Gate
  private let counts = Mutex<[String: Int]>([:])
  private let environment: [Environment.Key: String]

  /// Creates a runner.
  ///
  /// - Parameter most: The most processes at a time.
  package init(most: Int = WatchLimits.processes) {
    gate = Gate(most)
    var values: [Environment.Key: String] = [
      "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "true",
      "GIT_SEQUENCE_EDITOR": "true", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true",
    ]
    // Nothing else of the environment: GIT_DIR and the like would lead elsewhere.
    for name in ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "SSH_AUTH_SOCK"] {
      if let value = getenv(name), let key = Environment.Key(rawValue: name) {
        values[key] = String(cString: value)
      }
    }
    environment = values
  }

  /// Runs git in a folder.
  ///
  /// - Parameters:
  ///   - arguments: The command and its arguments.
  ///   - folder: The folder to run in.
  ///   - reads: Whether it only reads: then no lock is taken, nothing is fetched, and no program of a configuration is
  ///     run but filters and merge drivers.
  ///   - timeout: How long it may take, in seconds.
  ///   - variables: More of the environment.
  ///   - accepted: The codes that are no failure.
  ///   - input: What it reads; without it there is nothing to read.
  ///   - chunk: Takes the output as it comes; without it the output is in the answer.
  /// - Returns: The answer.
  /// - Throws: ``Failure``; `CancellationError` if the task is cancelled.
  package func run(
    _ arguments: [String],
    in folder: String,
    reads: Bool = true,
    timeout: Double = WatchLimits.stateTimeout,
    variables: [String: String] = [:],
    accepted: ClosedRange<Int32> = 0...0,
    input: [UInt8]? = nil,
    chunk: (@Sendable ([UInt8]) throws -> Void)? = nil
  ) async throws -> Answer {
    let command = arguments.first ?? ""
    try await gate.enter()
    defer { gate.leave() }
    counts.withLock { $0[command, default: 0] += 1 }
    let all = (reads ? Self.careful : []) + arguments
    var values = environment
    if reads { values.merge(Self.closed) { $1 } }
    for (name, value) in variables {
      if let key = Environment.Key(rawValue: name) { values[key] = value }
    }
    let configuration = Configuration(
      executable: .name("git"),
      arguments: Arguments(all),
      environment: .custom(values),
      workingDirectory: FilePath(folder)
    )
    let answer = try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        guard let input else { return try await Self.collect(configuration, .none, command, chunk) }
        let file = try GitInput.containing(input)
        return try await Self.collect(
          configuration,
          .fileDescriptor(file.descriptor, closeAfterSpawningProcess: false),
          command,
          chunk
        )
      }
      group.addTask {
        try await Task.sleep(for: .seconds(timeout))
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let first else {
        throw Failure.timeout(command, seconds: timeout)
      }
      return first
    }
    guard accepted.contains(answer.code) else {
      let line = answer.complaint.split(separator: "\n").first.map(String.init) ?? "no reason given"
      throw Failure.failed(command, code: answer.code, complaint: String(line.prefix(400)))
    }
    return answer
  }

  /// What keeps a command that reads from taking locks, and from fetching objects that a partial clone lacks: an
  /// older git does not know the second variable, and no transport is called `none`.
  private static let closed: [Environment.Key: String] = [
    "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none",
  ]

  /// What keeps a command that reads from running the monitor, hooks, the pager and upkeep that a configuration
  /// names.
  private static let careful = [
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
    "-c", "status.relativePaths=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
    "--no-pager",
  ]

  @concurrent
  private static func collect(
    _ configuration: Configuration,
    _ input: some InputProtocol,
    _ command: String,
    _ chunk: (@Sendable ([UInt8]) throws -> Void)?
  ) async throws -> Answer {
    do {
      let result = try await Subprocess.run(
        configuration,
        input: input,
        output: .sequence,
        error: .bytes(limit: WatchLimits.complaintBytes)
      ) { execution in
        var output: [UInt8] = []
        var count = 0
        for try await buffer in execution.standardOutput {
          count += buffer.count
          guard count <= WatchLimits.outputBytes else { throw Failure.tooMuch(command) }
          let bytes = buffer.withUnsafeBytes { Array($0) }
          if let chunk { try chunk(bytes) } else { output += bytes }
        }
        return output
      }
      let code: Int32
      switch result.terminationStatus {
      case .exited(let status): code = status
      case .signaled(let signal): code = -signal
      }
      return Answer(
        output: result.closureResult,
        complaint: String(decoding: result.standardError, as: UTF8.self),
        code: code
      )
    } catch let error as SubprocessError {
      throw Task.isCancelled ? CancellationError() : Failure.notStarted("\(error)")
    }
  }
}
