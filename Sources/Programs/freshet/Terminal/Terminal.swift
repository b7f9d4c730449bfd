import Foundation
import TerminalText

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// What the program knows about the terminal it runs in.
enum Terminal {
  /// Whether standard output is a terminal.
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether standard error is a terminal.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether colours are wanted (no-color.org).
  static var hasColor: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Columns and rows of the terminal; 80 × 24 if it does not say.
  static var size: (columns: Int, rows: Int) {
    var window = winsize()
    let request = UInt(TIOCGWINSZ)
    guard ioctl(STDOUT_FILENO, request, &window) == 0, window.ws_col > 0 else { return (80, 24) }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// Writes to standard output at once.
  ///
  /// - Returns: Whether it could be written: the other end of a pipe may be gone, a disk full.
  @discardableResult
  static func write(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        #elseif canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        #endif
      }
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Writes to standard error at once, if that is possible.
  static func complain(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  /// Whether the board can be drawn over itself.
  static var canRedraw: Bool {
    isInteractive && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// How many colours the terminal has.
  static var colours: ColourDepth {
    hasColor ? ColourDepth(environment: ProcessInfo.processInfo.environment) : .none
  }

  /// How many columns a text takes.
  static func width(of text: String) -> Int { TerminalText.width(of: text) }

  /// A text without control and direction characters: what a feed or a server says must not steer the terminal.
  static func plain(_ text: String) -> String { TerminalText.plain(text) }

  /// A text cut or filled with blanks to a number of columns.
  static func fit(_ text: String, _ columns: Int, atEnd: Bool = false) -> String {
    TerminalText.fit(text, columns, atEnd: atEnd)
  }
}
