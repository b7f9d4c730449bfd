/// Why a photo cannot be read.
package struct ScanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Hashable, Sendable {
    /// The file is not a photo, or its format is not supported.
    case notAPhoto = "photo_unreadable"
    /// The photo has more bytes or pixels than the limits allow.
    case tooLarge = "photo_too_large"
    /// A required program is not installed.
    case toolMissing = "scan_tool_missing"
    /// A program failed.
    case toolFailed = "scan_tool_failed"
    /// A program or a service took too long.
    case timedOut = "scan_timed_out"
    /// A service cannot be reached or answers with an error.
    case unavailable = "scan_unavailable"
    /// A service's answer cannot be read.
    case unreadable = "scan_answer_unreadable"
  }

  /// The kind of failure.
  package var code: Code
  /// What happened, for display.
  package var description: String

  /// Creates an error.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Whether a service is down or busy, and may be back within minutes.
  package var passesSoon = false

  /// Whether the same photo may be read later.
  package var isRetryable: Bool {
    switch code {
    case .notAPhoto, .tooLarge: false
    default: true
    }
  }
}
