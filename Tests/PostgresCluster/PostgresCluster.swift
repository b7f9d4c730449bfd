import Foundation

/// A PostgreSQL server for the tests of this process, which ends with it.
package final class PostgresCluster: Sendable {
  /// An error of the start of the server.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The server, or the reason for its absence; it starts when it is first used.
  private static let shared = Result { try PostgresCluster() }

  /// The connection string of the server's database.
  ///
  /// - Throws: ``Failure`` if PostgreSQL is not installed or does not start.
  package static var uri: String { get throws { try shared.get().uri } }

  /// Returns the connection string of a role; the owner of the database is `freshet`.
  package static func uri(as role: String) throws -> String {
    try uri.replacing("//freshet@", with: "//\(role)@")
  }

  private let uri: String
  /// The script ends when this does, which happens at the latest with the process.
  private let lifeline = Pipe()

  private init() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("cluster")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = [script.path]
    process.standardInput = lifeline
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      guard !byte.isEmpty else { throw Failure(description: "PostgreSQL did not start") }
      line += byte
    }
    uri = String(decoding: line.dropLast(), as: UTF8.self)
    guard uri != "missing" else {
      throw Failure(
        description:
          "PostgreSQL is not installed: make test installs Debian's postgresql; elsewhere initdb and postgres in the path"
      )
    }
  }
}
