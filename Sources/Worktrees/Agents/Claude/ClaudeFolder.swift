/// Names under Claude Code's folder.
package enum ClaudeFolder: Sendable {
  /// The name of the folder of a working directory's sessions: every character that is not a letter
  /// or digit becomes a hyphen.
  ///
  /// Several directories can share one name, so the records' own `cwd` decides.
  package static func name(of directory: String) -> String {
    String(
      decoding: directory.utf16.map { unit -> UInt8 in
        switch unit {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: UInt8(unit)
        default: UInt8(ascii: "-")
        }
      },
      as: UTF8.self
    )
  }

  /// Whether a file in a folder of sessions is one: its name is a UUID and not a sub-agent's.
  package static func isSession(_ name: String) -> Bool {
    guard name.hasSuffix(".jsonl") else { return false }
    let id = Array(name.utf8.dropLast(6))
    guard id.count == 36 else { return false }
    return id.indices.allSatisfy { index in
      [8, 13, 18, 23].contains(index)
        ? id[index] == 0x2D
        : Character(Unicode.Scalar(id[index])).isHexDigit
    }
  }
}
