/// Where the current copy comes from (R38).
///
/// Only a copy from the server can be live; the other two are labeled as what they are.
public enum Provenance: UInt8, Hashable, Sendable {
  /// The server sent it.
  case server
  /// The application wrote it, and no response has confirmed it yet.
  case local
  /// The application restored it from an earlier run, with its age.
  case disk
}
