/// A key that was pressed.
package enum Key: Hashable, Sendable {
  /// A letter, a digit or a symbol.
  case character(Character)
  /// A pasted letter, digit or symbol: text only, never a command.
  case pasted(Character)
  /// Return.
  case enter
  /// Escape on its own.
  case escape
  /// Backspace or delete.
  case backspace
  /// An arrow up.
  case up
  /// An arrow down.
  case down
  /// An arrow to the left.
  case left
  /// An arrow to the right.
  case right
  /// A screen up.
  case pageUp
  /// A screen down.
  case pageDown
  /// The beginning.
  case home
  /// The end.
  case end
  /// Tab.
  case tab
  /// Shift and tab.
  case backtab
  /// Ctrl and a letter.
  case control(Character)
  /// Any other key.
  case other
}

/// Reads keys from terminal input, in chunks of any size.
package struct KeyReader: Sendable {
  /// The maximum number of bytes that wait for the rest of a key.
  private static let longest = 32
  private var pending: [UInt8] = []
  /// Whether the input is pasted (xterm's bracketed paste mode).
  private var isPasting = false

  /// Creates a reader without pending input.
  package init() {}

  /// Reads keys.
  ///
  /// An escape at the end of a chunk is the escape key: terminals send their sequences in one
  /// chunk.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, count) = next() {
      pending.removeFirst(count)
      switch (key, isPasting) {
      case (.pasteBegins, _): isPasting = true
      case (.pasteEnds, _): isPasting = false
      case (.key(.character(let character)), true): keys.append(.pasted(character))
      case (.key, true): break
      case (.key(let key), false): keys.append(key)
      }
    }
    if pending.count > Self.longest { pending.removeAll() }
    return keys
  }

  /// A part of the input.
  private enum Piece {
    case key(Key)
    case pasteBegins
    case pasteEnds
  }

  private func next() -> (Piece, Int)? {
    for (text, piece) in [("\u{1B}[200~", Piece.pasteBegins), ("\u{1B}[201~", .pasteEnds)]
    where pending.starts(with: text.utf8) { return (piece, text.utf8.count) }
    return key().map { (.key($0.0), $0.1) }
  }

  private func key() -> (Key, Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return sequence()
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0..<0x20: return (.other, 1)
    case 0x20..<0x80: return (.character(Character(Unicode.Scalar(first))), 1)
    default: return text(first)
    }
  }

  /// Reads a character of several bytes (RFC 3629).
  private func text(_ first: UInt8) -> (Key, Int)? {
    let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
    guard count > 1 else { return (.other, 1) }
    guard pending.count >= count else { return nil }
    let bytes = pending[..<count]
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
      return (.other, 1)
    }
    return (.character(character), count)
  }

  /// Reads an escape sequence (ECMA-48), or the escape key.
  private func sequence() -> (Key, Int)? {
    guard pending.count > 1 else { return (.escape, 1) }
    guard [UInt8(ascii: "["), UInt8(ascii: "O")].contains(pending[1]) else { return (.escape, 1) }
    guard
      let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) })
    else { return pending.count > 2 ? nil : (.escape, 2) }
    let key: Key =
      switch pending[end] {
      case UInt8(ascii: "A"): .up
      case UInt8(ascii: "B"): .down
      case UInt8(ascii: "C"): .right
      case UInt8(ascii: "D"): .left
      case UInt8(ascii: "F"): .end
      case UInt8(ascii: "H"): .home
      case UInt8(ascii: "Z"): .backtab
      case UInt8(ascii: "~"): Self.numbered(pending[2..<end])
      default: .other
      }
    return (key, end + 1)
  }

  /// Reads a key with a number before a tilde, as on a VT220; a modifier may follow.
  private static func numbered(_ digits: ArraySlice<UInt8>) -> Key {
    let number = digits.prefix { $0 != UInt8(ascii: ";") }
    return switch String(decoding: number, as: UTF8.self) {
    case "1", "7": .home
    case "4", "8": .end
    case "5": .pageUp
    case "6": .pageDown
    default: .other
    }
  }
}
