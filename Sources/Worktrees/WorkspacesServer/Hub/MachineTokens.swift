import ConditionalHTTP
import Workspaces

/// The machines that may report to a hub, and the hashes of their tokens: what the file of machines says.
///
/// A line has the name of a machine, whitespace, and the SHA-256 of its token in hexadecimal digits. Empty lines, and lines that
/// begin with `#`, are passed over.
package struct MachineTokens: Hashable, Sendable {
  /// Why the file cannot be used.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line and what is wrong in it; never a hash.
    package var description: String
  }

  private let hashes: [(name: String, hash: [UInt8])]

  /// Reads the content of a file.
  ///
  /// - Throws: ``Fault`` with the first line that is wrong.
  package init(_ text: String) throws(Fault) {
    var hashes: [(name: String, hash: [UInt8])] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      func fault(_ what: String) -> Fault { Fault(description: "line \(index + 1): \(what)") }
      guard Self.isName(first) else {
        throw fault(
          "expected the name of a machine: at most \(ReportLimits.nameBytes) letters, digits, dots, hyphens and underscores"
        )
      }
      guard words.count == 2, let hash = Self.bytes(words[1]) else {
        throw fault("expected the SHA-256 of the token of \(first), 64 hexadecimal digits")
      }
      let name = String(first)
      guard !hashes.contains(where: { $0.name == name }) else {
        throw fault("\(name) is there twice")
      }
      guard !hashes.contains(where: { $0.hash == hash }) else {
        throw fault("\(name) has the token of another machine")
      }
      guard hashes.count < ReportLimits.machines else {
        throw fault("there are more than \(ReportLimits.machines) machines")
      }
      hashes.append((name, hash))
    }
    self.hashes = hashes
  }

  /// The names of the machines.
  package var names: Set<String> { Set(hashes.map(\.name)) }

  /// The machine whose token is given; `nil` if it is that of none.
  ///
  /// All hashes are compared, in a time that does not depend on which of them is equal.
  package func machine(of token: String) -> String? {
    let given = SHA256.hash(token.utf8)
    var found: String?
    for (name, hash) in hashes where HMACSHA256.areEqual(hash, given) { found = name }
    return found
  }

  /// The line of a machine in the file.
  package static func line(_ name: String, token: String) -> String {
    let digits = SHA256.hash(token.utf8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "\(name) \(digits.joined())"
  }

  /// Whether a text can be the name of a machine.
  package static func isName(_ text: some StringProtocol) -> Bool {
    (1...ReportLimits.nameBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
      // These are parts of paths.
      && text != "." && text != ".."
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let digits = Array(digits.utf8)
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexadecimal(digits[place]), let low = hexadecimal(digits[place + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// Compares names and hashes.
  package static func == (left: Self, right: Self) -> Bool {
    left.hashes.elementsEqual(right.hashes) { $0 == $1 }
  }

  /// Hashes names.
  package func hash(into hasher: inout Hasher) { hasher.combine(hashes.map(\.name)) }
}
