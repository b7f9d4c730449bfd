import Foundation
import Glibc

@testable import WorktreeWatch

/// Folders with repositories that are gone after the test.
final class TemporaryRepository: Sendable {
  /// The folder around everything.
  let root: String

  init() {
    let name = "freshet-git-\(UInt64.random(in: .min ... .max))"
    let path = FileManager.default.temporaryDirectory.appending(path: name).path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    root = HostFile.realPath(path) ?? path
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Runs git in a folder within the root and gives what it wrote.
  @discardableResult
  func git(_ arguments: String..., in folder: String = "main") async throws -> String {
    try await git(arguments, in: folder)
  }

  /// Runs git in a folder within the root and gives what it wrote.
  @discardableResult
  func git(_ arguments: [String], in folder: String) async throws -> String {
    // As a person at the terminal.
    let runner = GitRunner(most: 1, protection: .none)
    let names = ["NAME", "EMAIL"]
    var variables: [String: String] = [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    ]
    for role in ["AUTHOR", "COMMITTER"] {
      for name in names { variables["GIT_\(role)_\(name)"] = "test@example.org" }
    }
    return try await runner.run(
      arguments,
      in: path(folder),
      reads: false,
      timeout: 120,
      variables: variables,
      accepted: 0...1
    ).text
  }

  /// A path within the root.
  func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  /// Writes a file.
  func write(_ name: String, _ text: String = "text\n") throws {
    let path = path(name)
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    try FileManager.default.createDirectory(
      atPath: String(folder),
      withIntermediateDirectories: true
    )
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  /// Makes `main` with one commit.
  func begin() async throws {
    try FileManager.default.createDirectory(
      atPath: path("main"),
      withIntermediateDirectories: true
    )
    try await git("init", "-q", "-b", "main")
    try write("main/first.txt")
    try await git("add", ".")
    try await git("commit", "-q", "-m", "first")
  }
}
