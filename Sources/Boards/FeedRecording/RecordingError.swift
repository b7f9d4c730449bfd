extension FeedRecording {
  /// The reason why a recording cannot be read or written.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, stable across releases.
    package enum Code: String, Hashable, Sendable {
      /// The file cannot be opened or read.
      case unreadable = "recording_unreadable"
      /// The file cannot be written: no permission, no space.
      case unwritable = "recording_unwritable"
      /// The file is not a recording.
      case foreign = "recording_foreign"
      /// The file is of another version.
      case otherVersion = "recording_other_version"
      /// A record is damaged.
      case damaged = "recording_damaged"
      /// Another recorder writes the file.
      case busy = "recording_busy"
      /// A limit is exceeded (``FeedRecording/Limits``).
      case limitExceeded = "recording_limit_exceeded"
    }

    /// The kind of failure.
    package let code: Code
    /// The file.
    package let path: String
    /// The problem.
    package let reason: String
    /// The offset of the damaged record, from the start of the file in bytes; `nil` for other
    /// failures.
    package let offset: Int64?

    /// Creates a failure.
    package init(_ code: Code, _ path: String, _ reason: String, offset: Int64? = nil) {
      self.code = code
      self.path = path
      self.reason = reason
      self.offset = offset
    }

    /// The file, the problem and the position in one sentence.
    package var description: String {
      guard let offset else { return "\(path): \(reason)" }
      return "\(path): \(reason) at byte \(offset)"
    }
  }

  /// An incomplete record at the end, left by a killed recorder.
  package struct TornTail: Hashable, Sendable, CustomStringConvertible {
    /// The offset of the record, from the start of the file in bytes.
    package let offset: Int64
    /// The number of its bytes.
    package let count: Int64

    /// What was dropped, in one sentence.
    package var description: String {
      "the last record has no end and was dropped: \(count) bytes at byte \(offset)"
    }
  }
}
