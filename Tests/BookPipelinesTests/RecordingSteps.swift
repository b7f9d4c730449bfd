import Foundation
import Jobs
import StrictJSON
import Synchronization

/// A job's store for tests: keeps items by number and the last checkpoint, and fails or stops when it is told to.
final class RecordingSteps: JobSteps {
  /// The machine under the job was switched off.
  struct Crash: Error {}

  struct State {
    var items: [Int: JobItem] = [:]
    var checkpoint: [UInt8]?
    var commits = 0
    var fractions: [Double] = []
    var processed = 0
    var total: Int?
  }

  let state = Mutex(State())
  /// The commit that does not happen, from 1.
  private let crashesAt: Int
  private let stopsAt: Int

  init(crashesAt: Int = .max, stopsAt: Int = .max) {
    self.crashesAt = crashesAt
    self.stopsAt = stopsAt
  }

  func commit(_ step: JobStep) async throws -> JobDirective {
    try Task.checkCancellation()
    return try state.withLock { state in
      state.commits += 1
      if state.commits >= crashesAt { throw Crash() }
      for item in step.items { state.items[item.number] = item }
      state.checkpoint = step.checkpoint ?? state.checkpoint
      state.fractions.append(step.fraction)
      state.processed = step.processed
      state.total = step.total ?? state.total
      return state.commits >= stopsAt ? .stop : .proceed
    }
  }

  var items: [JobItem] { state.withLock { $0.items.values.sorted { $0.number < $1.number } } }

  func count(_ outcome: JobOutcome) -> Int { items.count { $0.outcome == outcome } }
}

extension JobItem {
  subscript(name: String) -> JSONValue? { value?[name] }
}

/// A folder that goes away.
final class TestFolder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("books-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and describes it as the input of a job.
  func input(_ name: String, _ bytes: [UInt8]) throws -> JobInput {
    let path = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return JobInput(name: name, mediaType: "", path: path, byteCount: bytes.count)
  }

  func input(_ name: String, _ text: String) throws -> JobInput {
    try input(name, Array(text.utf8))
  }
}

/// Runs the Python programs beside these tests.
enum Python {
  struct Failure: Error {
    var text: String
  }

  /// The folder `Tests/Books`.
  static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Books").path

  /// Runs a program to its end and gives what it prints.
  ///
  /// What it prints goes into a file: a pipe would stay open as long as any other program that was started
  /// meanwhile.
  @discardableResult
  static func run(
    _ program: String,
    _ arguments: [String],
    python: [String] = ["python3"]
  ) async throws -> String {
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("books-\(UUID().uuidString).out").path
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: output) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = python + [folder + "/" + program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    // One after another: programs that start at the same moment may wait for each other.
    try launching.withLock { _ in try process.run() }
    while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    let printed = String(
      decoding: FileManager.default.contents(atPath: output) ?? Data(),
      as: UTF8.self
    )
    guard process.terminationStatus == 0 else {
      throw Failure(text: "\(program) ended with \(process.terminationStatus)")
    }
    return printed
  }
}

/// Held while a program is started.
private let launching = Mutex(())
