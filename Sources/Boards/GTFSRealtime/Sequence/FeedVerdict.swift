/// What to do with a feed that arrived.
package enum FeedVerdict: Hashable, Sendable {
  /// Use it; with whatever is worth noting.
  case new([FeedNote])
  /// It is the feed in use, byte for byte.
  case same
  /// Keep the feed in use: the one that arrived is older, by this many seconds.
  case backDated(seconds: Int64)
  /// Keep the feed in use for now: this one has far fewer entities and may be cut short.
  case shrunk(from: Int, to: Int)
  /// Keep the feed in use: this one only makes sense as a change to another.
  case differential
  /// Keep the feed in use: the new content is not a valid feed.
  case corrupt(RealtimeError)

  /// Whether the feed is to be used.
  package var isNew: Bool {
    if case .new = self { true } else { false }
  }

  /// The label of the verdict for counters.
  package var label: String {
    switch self {
    case .new: "new"
    case .same: "same"
    case .backDated: "back_dated"
    case .shrunk: "shrunk"
    case .differential: "differential"
    case .corrupt: "corrupt"
    }
  }

  /// Why the feed is not used, in one sentence; `nil` if it is, or is the same.
  package var reason: String? {
    switch self {
    case .new, .same: nil
    case .backDated(let seconds):
      "The feed is \(seconds) s older than the one in use, which is kept"
    case .shrunk(let from, let to):
      "The feed has \(to) entities after \(from); it may be cut short, and the one in use is kept"
        + " until this repeats"
    case .differential:
      "The feed says it is DIFFERENTIAL, which the GTFS-Realtime reference leaves unsupported; the"
        + " feed in use is kept"
    case .corrupt(let error): "\(error)"
    }
  }
}
