/// The thresholds and sizes of a report.
package enum ReportLimits {
  // MARK: What is read

  /// The maximum number of samples of one file that are judged: five weeks at one in 15 s.
  package static let mostSamples = 200_000
  /// The maximum length of a line, in bytes.
  package static let longestLine = 64 << 10
  /// The maximum number of different strings of one kind, such as stops or modes.
  package static let mostStrings = 4_096
  /// The maximum length of a member's string, in bytes.
  package static let longestText = 4_096
  /// The maximum number of lines that a finding or a list of broken lines names.
  package static let mostLines = 10
  /// The maximum share of broken lines, in hundredths of a percent of all lines.
  package static let mostBroken = 100

  // MARK: The seed's gates (mesdeparts.md 6.1)

  /// The minimum share of responses with freshness fields, in percent.
  package static let leastCoverage = 80
  /// How much earlier than its cadence a request may start, in milliseconds (R10).
  package static let cadenceSlack: Int64 = 1_200
  /// The minimum interval of cadences longer than it, in milliseconds (seed 001).
  package static let nativeLeast: Int64 = 15_000
  /// The maximum p95 of the age of applied realtime data, in milliseconds.
  package static let oldestApplied: Int64 = 45_000

  // MARK: The plausibility gates (engine.md "How it is tested", mesdeparts.md 0.3, 6.1)

  /// The minimum number of responses that prove anything.
  package static let fewestAnswers = 8
  /// The maximum difference between the clocks of client and server, in milliseconds.
  package static let clockSkew: Int64 = 30_000
  /// How far the server's time may seem to go back: `Date` counts whole seconds.
  package static let clockGrain: Int64 = 2_000
  /// How far a request may be from its receipt, beyond its duration.
  package static let startGrain: Int64 = 1_000
  /// How far `rtCacheAgeMs` may differ from `serverTime − rtFetchedAt`.
  package static let ageGrain: Int64 = 2_500
  /// The same with the times of a genuine receipt: servers that give receipts compute the age from them.
  package static let receiptAgeGrain: Int64 = 5
  /// The minimum share of responses with a piece of evidence, in percent.
  package static let leastEvidence = 80
  /// The maximum share of failures among all requests, in percent.
  package static let mostFailures = 20
  /// The maximum share of "not modified" among all responses, in percent: every sixth is a full one
  /// (R18).
  package static let mostUnchanged = 85
  /// The minimum number of responses to determine that share.
  package static let fewestForShares = 12
  /// The minimum silence that counts, in milliseconds.
  package static let silence: Int64 = 60_000
  /// The silence that counts, in multiples of the cadence.
  package static let silenceFactor: Int64 = 4
  /// The maximum share of requests that may be missing between those recorded, in percent.
  package static let mostMissing = 20
  /// The maximum share of round figures, in percent; chance makes one in a hundred.
  package static let mostRound = 50
  /// The minimum share of the shorter recording during which both ran, in percent.
  package static let leastOverlap = 50
  /// The maximum share of requests of one client that may repeat the other's rhythm, in percent.
  package static let mostRepeated = 50
  /// The maximum difference between the mean intervals of two clients, in percent of their
  /// cadences.
  package static let mostIntervalGap = 50
  /// The maximum difference of intervals that count as equal, in milliseconds.
  package static let sameInterval: Int64 = 2

  /// Returns the minimum interval that a cadence allows, in milliseconds.
  ///
  /// The seed's gate is cadence − 1.2 s. Longer cadences have wider jitter: 20 ± 2 s is never under
  /// 15 s, and beyond that three quarters of the cadence count.
  package static func leastInterval(at cadence: Int64) -> Int64 {
    let least = cadence - cadenceSlack
    return least <= nativeLeast ? max(least, 0) : max(nativeLeast, cadence * 3 / 4)
  }
}
