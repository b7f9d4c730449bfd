import GTFSRealtime

/// An index of trip updates, and what it was made of.
struct MadeIndex: Sendable {
  let index: RealtimeIndex
  /// The index of the publication before, when it was made.
  let previous: RealtimeIndex?
  /// When the feed arrived, as far as it could be believed, in seconds since 1970-01-01T00:00:00Z.
  let arrivedAt: Int64
  /// How long making it took, in seconds.
  let seconds: Double
}
