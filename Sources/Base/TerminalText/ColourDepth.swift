/// The number of colors that the terminal supports.
package enum ColourDepth: Int, Comparable, Sendable {
  /// Colors are off (no-color.org), or the output is not a terminal.
  case none
  /// The 16 colors of ECMA-48, including the bright ones.
  case sixteen
  /// The cube of 6 × 6 × 6 colors and 24 grays.
  case indexed
  /// 24 bits.
  case full

  /// Compares two depths.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Determines the depth of a terminal with colors from the environment.
  ///
  /// - Parameter environment: The variables, of which `COLORTERM` and `TERM` are read.
  package init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    self =
      ["truecolor", "24bit"].contains(environment["COLORTERM"]) || term.hasSuffix("-direct")
      ? .full : term.contains("256color") ? .indexed : .sixteen
  }

  /// Returns text in a style, if styles are on.
  ///
  /// - Parameters:
  ///   - code: The parameters of SGR, such as `1;33`; `0` means without style.
  ///   - text: The text, without control characters.
  /// - Returns: The text, preceded by the style and followed by a reset.
  package func paint(_ code: String, _ text: String) -> String {
    self > .none && code != "0" ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Returns the SGR parameters that select a color, or `nil` without colors.
  ///
  /// - Parameters:
  ///   - color: RRGGBB.
  ///   - isBackground: Whether it is the background color.
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
      // Black and dark gray are the same; a strong color becomes a bright one. As a background it
      // becomes a dark one: white on bright red is not readable.
      let code = most < 64 ? 0 : bits
      return isBackground ? "\(40 + code)" : "\(30 + code + (most > 191 ? 60 : 0))"
    }
  }
}
