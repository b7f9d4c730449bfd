import GTFSRealtime

extension FeedRecording {
  /// The limits of recordings.
  package enum Limits {
    /// The maximum size of a body in bytes; a larger response is recorded as a failure.
    package static let bodyBytes = RealtimeLimits.standard.feedBytes
    /// The maximum size of an address in bytes.
    package static let addressBytes = 4_096
    /// The maximum size of a field, and of the text of a failure, in bytes; longer ones are cut.
    package static let textBytes = 1_024
    /// The maximum number of fields of a response; further ones are dropped.
    package static let fields = 32
    /// The maximum number of sources in a file.
    package static let sources = 256
    /// The maximum number of damaged places that are kept for a report; all are counted.
    package static let damages = 100
    /// How far a replay goes back before its start, in milliseconds: as long as a doubt about a
    /// feed can last (``FeedSequence``), so that it accepts at its start what a continuous listener
    /// would have accepted.
    package static let memory = FeedSequence.Policy().patience * 1_000
    /// How long a replay waits for a response to be applied before it delivers the next one, in
    /// seconds.
    package static let takingSeconds = 10
    /// The maximum size of a record other than a body, in bytes.
    static let recordBytes = 128 << 10
  }
}
