import GTFSRealtime

extension FeedRecording {
  /// Every limit of recordings, in one place.
  package enum Limits {
    /// The most bytes of one body; an answer with more is recorded as a failure.
    package static let bodyBytes = RealtimeLimits.standard.feedBytes
    /// The most bytes of an address.
    package static let addressBytes = 4_096
    /// The most bytes of one field, and of the text of a failure; the rest is cut off.
    package static let textBytes = 1_024
    /// The most fields of one answer; more are left out.
    package static let fields = 32
    /// The most sources of one file.
    package static let sources = 256
    /// The most places of damage that are kept to be told, of all that are counted.
    package static let damages = 100
    /// How far a replay goes back before its start, in milliseconds: as long as a doubt about a feed can
    /// last (``FeedSequence``), so that it believes at its start what a listener would have believed.
    package static let memory = FeedSequence.Policy().patience * 1_000
    /// How long a replay waits for an answer to be taken before it gives the next one, in seconds.
    package static let takingSeconds = 10
    /// The most bytes of a record that is no body.
    static let recordBytes = 128 << 10
  }
}
