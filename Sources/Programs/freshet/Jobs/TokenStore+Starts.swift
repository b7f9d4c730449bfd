import Foundation
import JobsClient
import StrictJSON

/// Starts that may have reached a server: their keys are kept before they are sent, so that the same command, given
/// again after anything went wrong, asks for the same job.
extension TokenStore {
  /// One start.
  struct Start: Hashable {
    var server: String
    var pipeline: String
    /// What it works on, for a person.
    var name: String
    /// A mark of its content and options.
    var mark: String
    /// When it was first sent, in milliseconds since 1970-01-01T00:00:00Z.
    var startedAt: Int64
    var key: String
  }

  /// The most starts that are remembered.
  static let mostStarts = 100
  /// How long the key of a start is used again, in milliseconds: as long as servers remember keys.
  static let keyLife: Int64 = 86_400_000

  private var startsPath: String { path + ".starts" }

  /// The key of a start: that of an earlier one with the same content whose answer never came, or a new one.
  ///
  /// - Parameters:
  ///   - start: The start; its key is used if there is no earlier one.
  ///   - isChosen: Whether a person has chosen the key, which then counts in any case.
  /// - Returns: The start with its key, which is kept in the file when this returns.
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

  /// Forgets a start that was answered.
  func forget(_ start: Start) throws {
    try locked {
      let starts = starts()
      let others = starts.filter { $0.key != start.key }
      if others.count < starts.count { try write(others) }
    }
  }

  /// A mark of bytes and options; different ones have different marks for all practical purposes.
  static func mark(_ content: [UInt8], options: [String: String], pipeline: String) -> String {
    // FNV-1a, from two beginnings.
    var marks: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4]
    func take(_ bytes: some Sequence<UInt8>) {
      for byte in bytes {
        for index in marks.indices {
          marks[index] = (marks[index] ^ UInt64(byte)) &* 0x100_0000_01B3
        }
      }
    }
    take(pipeline.utf8)
    for (name, value) in options.sorted(by: { $0.key < $1.key }) {
      take([0])
      take(name.utf8)
      take([0])
      take(value.utf8)
    }
    take([0])
    take(content)
    return marks.map { String($0, radix: 16) }.joined(separator: "-") + "-\(content.count)"
  }

  private func starts() -> [Start] {
    // A file that cannot be read costs no more than what it was made for.
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
