import Foundation
import Hashing
import JobsClient
import StrictJSON

/// Starts that may have reached a server. Their keys are stored before they are sent, so that the
/// same command, repeated after any failure, requests the same job.
extension TokenStore {
  /// A start of a job.
  struct Start: Hashable {
    var server: String
    var pipeline: String
    /// The name of the input, for display.
    var name: String
    /// A hash of its content and options.
    var mark: String
    /// When it was first sent, in milliseconds since 1970-01-01T00:00:00Z.
    var startedAt: Int64
    var key: String
  }

  /// The maximum number of starts that are stored.
  static let mostStarts = 100
  /// How long the key of a start is reused, in milliseconds: as long as servers remember keys.
  static let keyLife: Int64 = 86_400_000

  private var startsPath: String { path + ".starts" }

  /// Returns the key of an earlier start with the same content and without a response, or a new
  /// one.
  ///
  /// - Parameters:
  ///   - start: The start; its key is used unless an earlier one exists.
  ///   - isChosen: Whether the user chose the key, which is then used in any case.
  /// - Returns: The start with its key, which is stored in the file when this returns.
  /// - Throws: ``Failure``.
  func keep(_ start: Start, isChosen: Bool) throws -> Start {
    var kept = start
    try locked {
      var starts = starts()
      let earlier = starts.first { other in
        other.mark == start.mark && other.server == start.server
          && abs(start.startedAt - other.startedAt) < Self.keyLife
      }
      if let earlier, !isChosen { kept = earlier }
      starts.removeAll { $0.key == kept.key }
      starts.insert(kept, at: 0)
      try write(starts)
    }
    return kept
  }

  /// Removes a start that got a response.
  func forget(_ start: Start) throws {
    try locked {
      let starts = starts()
      let others = starts.filter { $0.key != start.key }
      if others.count < starts.count { try write(others) }
    }
  }

  /// Returns a hash of bytes and options; collisions are practically impossible.
  static func mark(_ content: [UInt8], options: [String: String], pipeline: String) -> String {
    var hashes = [FNV1a(), FNV1a(basis: 0x8422_2325_CBF2_9CE4)]
    func add(_ bytes: some Sequence<UInt8>) {
      for index in hashes.indices { hashes[index].add(bytes) }
    }
    add(pipeline.utf8)
    for (name, value) in options.sorted(by: { $0.key < $1.key }) {
      add([0])
      add(name.utf8)
      add([0])
      add(value.utf8)
    }
    add([0])
    add(content)
    return hashes.map { String($0.value, radix: 16) }.joined(separator: "-") + "-\(content.count)"
  }

  private func starts() -> [Start] {
    // If the file cannot be read, only the protection against repeated starts is lost.
    guard let data = FileManager.default.contents(atPath: startsPath),
      let list = try? JSONReader.value(of: Array(data)).list
    else { return [] }
    return list.compactMap { value in
      guard let server = value["server"]?.string, let key = value["key"]?.string,
        let mark = value["mark"]?.string, let startedAt = value["startedAt"]?.int64
      else { return nil }
      return Start(
        server: server,
        pipeline: value["pipeline"]?.string ?? "",
        name: value["name"]?.string ?? "",
        mark: mark,
        startedAt: startedAt,
        key: key
      )
    }
  }

  private func write(_ starts: [Start]) throws {
    guard !starts.isEmpty else {
      try? FileManager.default.removeItem(atPath: startsPath)
      return
    }
    let list = starts.prefix(Self.mostStarts).map { start in
      JSONValue.object([
        "server": .string(start.server), "pipeline": .string(start.pipeline),
        "name": .string(start.name), "mark": .string(start.mark),
        "startedAt": .whole(start.startedAt), "key": .string(start.key),
      ])
    }
    try replace(startsPath, with: JSONValue.list(Array(list)).bytes)
  }
}
