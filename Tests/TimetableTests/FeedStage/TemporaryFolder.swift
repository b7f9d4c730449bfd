import Foundation

/// A folder for one test, removed at its end.
struct TemporaryFolder: Sendable {
  /// Where it is.
  let path: String

  /// Makes an empty folder.
  init() throws {
    path = NSTemporaryDirectory() + "feed-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Removes it with everything in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file into the folder; folders between are made.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(bytes).write(to: file)
    return file.path
  }

  /// The bytes of a file of the folder.
  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  /// Runs a program in the folder.
  func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = URL(filePath: path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ProgramFailure(program: program, status: process.terminationStatus)
    }
  }

  /// A program that ended with another code than zero.
  struct ProgramFailure: Error {
    /// The program.
    var program: String
    /// Its code.
    var status: Int32
  }
}
