/// Where the copy at hand comes from (R38).
///
/// Only a copy from the server can be live: the other two are shown for what they are.
public enum Provenance: UInt8, Hashable, Sendable {
  /// The server sent it.
  case server
  /// The application wrote it, and no answer has confirmed it yet.
  case local
  /// The application kept it from an earlier run, with the age it had.
  case disk
}
