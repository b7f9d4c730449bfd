import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

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

  /// Writes a file and gives its path.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}

/// A Python program of `Tests/Books`.
///
/// What it prints goes into a file: a pipe would stay open as long as any other program that was started
/// meanwhile.
final class PythonProgram: Sendable {
  struct Failure: Error {
    var text: String
  }

  static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Books").path

  private let process: Process
  private let output: String

  /// Starts a program.
  init(_ program: String, _ arguments: [String]) throws {
    output =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("books-\(UUID().uuidString).out").path
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Self.folder + "/" + program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    // Whoever runs the tests waits until nobody can write there any more.
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

  private var printed: String {
    String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
  }

  /// The first line that the program prints.
  func firstLine() async throws -> String {
    while process.isRunning || printed.contains("\n") {
      if let end = printed.firstIndex(of: "\n") { return String(printed[..<end]) }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(text: "the program ended before it said anything")
  }

  /// Waits for the end and gives what was printed.
  func finish() async throws -> String {
    while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    guard process.terminationStatus == 0 else {
      throw Failure(text: "status \(process.terminationStatus)")
    }
    return printed
  }
}

/// Held while a program is started.
private let launching = Mutex(())
