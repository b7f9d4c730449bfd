package import ArgumentParser
import ConditionalHTTP
package import FreshnessRuntime
package import Serving

/// The service clock of a command.
package struct ClockOptions: ParsableArguments {
  /// The range of paces, as text.
  package static let paceRange = "0.05 to 1000"

  @Option(help: "Start the service clock at an instant, 2026-11-24T08:00:00+01:00, and let it run.")
  package var now: String?

  @Option(
    help: ArgumentHelp(
      "Let the service clock run this many times as fast, \(paceRange): hours in minutes.",
      valueName: "times"
    )
  )
  package var pace = 1.0

  /// Creates options without values.
  package init() {}

  /// Checks the values.
  ///
  /// - Throws: `ValidationError` that names the value.
  package func validate() throws {
    if let now, InstantText.read(now) == nil {
      throw ValidationError(
        "--now \"\(now)\" is not an instant like 2026-11-24T07:00:00Z (RFC 3339)"
      )
    }
    guard ServiceClock.paces.contains(pace) else {
      throw ValidationError("--pace is \(Self.paceRange)")
    }
  }

  /// The instant of `--now`, in seconds since 1970-01-01T00:00:00Z.
  package var start: Double? { now.flatMap { InstantText.read($0) } }

  /// Returns the clock, which starts with this call: at `--now`, else at the standard instant, else
  /// at the machine's time.
  package func clock(from standard: Double? = nil) -> ServiceClock {
    let start = start ?? standard
    return start == nil && pace == 1 ? ServiceClock() : ServiceClock(startingAt: start, pace: pace)
  }

  /// The clock of schedules, at the pace of the service clock.
  package var hostClock: HostClock { pace == 1 ? .device() : HostClock(PacedClock(pace: pace)) }
}
