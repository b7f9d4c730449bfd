/// The versions of messages in circulation; a client says which it reads.
public enum WireVersion: String, CaseIterable, Hashable, Sendable {
  /// Completions carry everything.
  case v1 = "1"
  /// Completions are a summary.
  case v2 = "2"
  /// A summary, and when the results expire.
  case v2WithExpiry = "2.4"

  /// The version for a client that does not say.
  public static let newest = WireVersion.v2WithExpiry

  /// Reads what a client says: `1`, `v1`, `1.0.0`; `2`; `2.4`.
  ///
  /// - Parameter text: The text.
  public init?(parsing text: String) {
    var text = text.lowercased()
    if text.hasPrefix("v") { text.removeFirst() }
    switch text {
    case "1", "1.0", "1.0.0": self = .v1
    case "2", "2.0", "2.0.0": self = .v2
    case "2.4", "2.4.0", "2.4.1", "latest": self = .v2WithExpiry
    default: return nil
    }
  }

  /// The text in the envelope.
  public var envelopeText: String {
    switch self {
    case .v1: "1.0.0"
    case .v2: "2.0.0"
    case .v2WithExpiry: "2.4.0"
    }
  }
}
