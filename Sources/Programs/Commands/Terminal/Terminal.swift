import Foundation
import Synchronization
package import TerminalText

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The properties of the terminal that the program runs in.
package enum Terminal {
  /// Whether standard output is a terminal.
  package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether standard error is a terminal.
  package static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
  /// Whether a line on standard error can be drawn again.
  package static var redrawsProgress: Bool {
    showsProgress && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
  /// The columns of the terminal that shows progress; 80 if they are not known.
  package static var progressColumns: Int { size(of: STDERR_FILENO).columns }

  /// Whether colors are on (no-color.org).
  package static var hasColor: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }

  /// The columns and rows of the terminal; 80 × 24 if they are not known.
  package static var size: (columns: Int, rows: Int) { size(of: STDOUT_FILENO) }

  private static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var window = winsize()
    let request = UInt(TIOCGWINSZ)
    guard ioctl(descriptor, request, &window) == 0, window.ws_col > 0 else { return (80, 24) }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// The error number of the first failed ``write(_:)``; 0 if all succeeded.
  private static let failedWrite = Atomic<Int32>(0)

  /// Why output of the command was lost; `nil` if all of it was written, or if its reader has closed the pipe.
  package static var lostOutput: String? {
    switch failedWrite.load(ordering: .relaxed) {
    case 0, EPIPE: nil
    case let code: String(cString: strerror(code))
    }
  }

  /// Writes to standard output immediately.
  ///
  /// A command whose output is lost does not end with success: see ``lostOutput``.
  ///
  /// - Returns: Whether writing succeeded: the reader of a pipe may be gone, or a disk full; `errno` says which.
  @discardableResult
  package static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Writes bytes to standard output immediately, like text.
  @discardableResult
  package static func write(_ bytes: [UInt8]) -> Bool {
    let code = write(bytes, to: STDOUT_FILENO)
    guard code != 0 else { return true }
    _ = failedWrite.compareExchange(expected: 0, desired: code, ordering: .relaxed)
    errno = code
    return false
  }

  /// Writes to standard output what is not the result of a command, such as the address of a server; losing it is not
  /// a failure.
  package static func announce(_ text: String) { _ = write(Array(text.utf8), to: STDOUT_FILENO) }

  /// Writes all bytes; returns 0, or the error number.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
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
      let code = errno
      if count > 0 {
        done += count
      } else if count == 0 || code != EINTR {
        return count == 0 ? EIO : code
      }
    }
    return 0
  }

  /// Writes to standard error immediately, if possible.
  package static func complain(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

  /// Whether the board can be redrawn in place.
  package static var canRedraw: Bool {
    isInteractive && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// The number of colors of the terminal.
  package static var colours: ColourDepth {
    hasColor ? ColourDepth(environment: ProcessInfo.processInfo.environment) : .none
  }

  /// Returns the columns that text takes.
  package static func width(of text: String) -> Int { TerminalText.width(of: text) }

  /// Returns text without control and direction characters: untrusted text must not control the
  /// terminal.
  package static func plain(_ text: String) -> String { TerminalText.plain(text) }

  /// Returns text that is cut or padded with spaces to a number of columns.
  package static func fit(_ text: String, _ columns: Int, atEnd: Bool = false) -> String {
    TerminalText.fit(text, columns, atEnd: atEnd)
  }
}
