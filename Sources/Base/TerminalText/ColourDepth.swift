/// How many colours the terminal has.
package enum ColourDepth: Int, Comparable, Sendable {
  /// None are wanted (no-color.org), or there is no terminal.
  case none
  /// The 16 of ECMA-48 and their bright ones.
  case sixteen
  /// The cube of 6 × 6 × 6 and 24 greys.
  case indexed
  /// 24 bits.
  case full

  /// Compares two depths.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What the environment says of a terminal that takes colours.
  ///
  /// - Parameter environment: The variables, of which `COLORTERM` and `TERM` are read.
  package init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    self =
      ["truecolor", "24bit"].contains(environment["COLORTERM"]) || term.hasSuffix("-direct")
      ? .full : term.contains("256color") ? .indexed : .sixteen
  }

  /// A text in a style, where there are styles.
  ///
  /// - Parameters:
  ///   - code: The parameters of SGR, such as `1;33`; `0` is no style.
  ///   - text: The text, without control characters.
  /// - Returns: The text, with the style before it and none behind it.
  package func paint(_ code: String, _ text: String) -> String {
    self > .none && code != "0" ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// The parameters of SGR that choose a colour; nothing where there are none.
  ///
  /// - Parameters:
  ///   - color: RRGGBB.
  ///   - isBackground: Whether it is the colour behind the text.
  /// - Returns: Such as `48;2;255;0;0`.
  package func parameters(_ color: UInt32, isBackground: Bool) -> String? {
    let parts = [color >> 16 & 255, color >> 8 & 255, color & 255].map { Int($0) }
    let first = isBackground ? 48 : 38
    switch self {
    case .none: return nil
    case .full: return "\(first);2;\(parts.map { String($0) }.joined(separator: ";"))"
    case .indexed:
      // The cube's levels are 0, 95, 135, 175, 215 and 255.
      let levels = parts.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
      return "\(first);5;\(16 + 36 * levels[0] + 6 * levels[1] + levels[2])"
    case .sixteen:
      let most = parts.max() ?? 0
      let bits = parts.enumerated().reduce(0) { bits, part in
        bits | (most > 0 && part.element * 2 > most ? 1 << part.offset : 0)
      }
      // Black and dark grey are one; a strong colour is a bright one. Behind a text it is a dark one: white on a
      // bright red cannot be read.
      let code = most < 64 ? 0 : bits
      return isBackground ? "\(40 + code)" : "\(30 + code + (most > 191 ? 60 : 0))"
    }
  }
}
