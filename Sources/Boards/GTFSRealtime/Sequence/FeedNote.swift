/// Something about a feed that is worth a line in the log and a counter, but does not stop its use.
package enum FeedNote: Hashable, Sendable, CustomStringConvertible {
  /// `gtfs_realtime_version` is neither 1.0 nor 2.0.
  case unknownVersion(String)
  /// The header has no timestamp, which version 2.0 requires: the age of the content is unknown.
  case noTimestamp
  /// The timestamp is this many seconds after the arrival.
  case timestampInFuture(seconds: Int64)
  /// The timestamp is not plausible as seconds since 1970: before 2000, or years after the arrival,
  /// as with milliseconds.
  case implausibleTimestamp(UInt64)
  /// The content changed, the timestamp did not.
  case sameTimestamp
  /// `incrementality` is a number that the reference does not define; read as a full dataset.
  case unknownIncrementality(Int32)
  /// A much smaller feed is believed, because it came again or stayed.
  case acceptedShrunk(from: Int, to: Int)
  /// An older timestamp is believed, because the feeds after it went on from there, or it stayed.
  case acceptedBackDated(seconds: Int64)

  /// The note in one sentence.
  package var description: String {
    switch self {
    case .unknownVersion(let version):
      "The feed's version is \"\(version)\"; 1.0 and 2.0 are known"
    case .noTimestamp: "The feed does not say when it was made"
    case .timestampInFuture(let seconds): "The feed was made \(seconds) s in the future"
    case .implausibleTimestamp(let timestamp):
      "The feed's timestamp \(timestamp) is not an instant in seconds since 1970"
    case .sameTimestamp: "The feed's content changed, its timestamp did not"
    case .unknownIncrementality(let number):
      "The feed's incrementality is \(number); it is read as a full dataset"
    case .acceptedShrunk(let from, let to):
      "The feed went from \(from) to \(to) entities, and stays there"
    case .acceptedBackDated(let seconds):
      "The feed's timestamp went back by \(seconds) s, and goes on from there"
    }
  }
}
