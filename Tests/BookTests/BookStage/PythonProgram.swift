import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A Python program of `Tests/Books`.
///
/// Its output goes into a file: a pipe would stay open as long as any other program started meanwhile.
final class PythonProgram: Sendable {
  /// A program that did not do what it was started for.
  struct Failure: Error {
    /// What happened.
    var text: String
  }

  /// How often it is looked whether a program has ended or said something.
  private static let pause = Duration.milliseconds(20)

  /// The folder `Tests/Books`.
  private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Books").path

  private let name: String
  private let process: Process
  private let output: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: Its file.
  ///   - arguments: What it is told.
  ///   - python: Which Python runs it; some modules come with the system's only.
  /// - Throws: An error of the system.
  init(_ name: String, _ arguments: [String], python: String = "python3") throws {
    self.name = name
    output =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("books-\(UUID().uuidString).out").path
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python, Self.folder + "/" + name] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    // An inherited standard error would keep the test run waiting until the program ends.
    process.standardError = FileHandle.nullDevice
    // One after another: programs that start at the same moment may wait for each other.
    try launching.withLock { _ in try process.run() }
    self.process = process
  }

  deinit {
    // Not SIGTERM: a program inherits what the thread that starts it blocks, and here that is most signals.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(atPath: output)
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - name: Its file.
  ///   - arguments: What it is told.
  ///   - python: Which Python runs it.
  /// - Returns: What it printed.
  /// - Throws: ``Failure`` if it did not succeed.
  @discardableResult
  static func run(
    _ name: String,
    _ arguments: [String],
    python: String = "python3"
  ) async throws -> String {
    try await PythonProgram(name, arguments, python: python).finish()
  }

  private var printed: String {
    String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
  }

  /// The first line that the program prints.
  ///
  /// - Throws: ``Failure`` if it ends before that.
  func firstLine() async throws -> String {
    while process.isRunning || printed.contains("\n") {
      if let end = printed.firstIndex(of: "\n") { return String(printed[..<end]) }
      try await Task.sleep(for: Self.pause)
    }
    throw Failure(text: "\(name) ended before it said anything")
  }

  /// Waits for the end.
  ///
  /// - Returns: What was printed.
  /// - Throws: ``Failure`` if it did not succeed.
  func finish() async throws -> String {
    while process.isRunning { try await Task.sleep(for: Self.pause) }
    guard process.terminationStatus == 0 else {
      throw Failure(text: "\(name) ended with \(process.terminationStatus)")
    }
    return printed
  }
}

/// Held while a program is started.
private let launching = Mutex(())
