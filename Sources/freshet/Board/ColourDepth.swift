import Foundation

/// How many colours the terminal has.
enum ColourDepth: Int, Comparable {
  /// None are wanted (no-color.org), or there is no terminal.
  case none
  /// The 16 of ECMA-48 and their bright ones.
  case sixteen
  /// The cube of 6 × 6 × 6 and 24 greys.
  case indexed
  /// 24 bits.
  case full

  /// Compares two depths.
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What the environment says of the terminal.
  static var current: Self {
    guard Terminal.hasColor else { return .none }
    let environment = ProcessInfo.processInfo.environment
    if ["truecolor", "24bit"].contains(environment["COLORTERM"]) { return .full }
    let term = environment["TERM"] ?? ""
    if term.hasSuffix("-direct") { return .full }
    return term.contains("256color") ? .indexed : .sixteen
  }

  /// The parameters of SGR that choose a colour; nothing where there are none.
  ///
  /// - Parameters:
  ///   - color: RRGGBB.
  ///   - isBackground: Whether it is the colour behind the text.
  /// - Returns: Such as `48;2;255;0;0`.
  func parameters(_ color: UInt32, isBackground: Bool) -> String? {
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
      // Black and dark grey are one; a strong colour is a bright one.
      let code = most < 64 ? 0 : bits
      return "\((isBackground ? 40 : 30) + code + (most > 191 ? 60 : 0))"
    }
  }
}
