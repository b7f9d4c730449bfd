import Foundation

/// Estimates how long work of a known size still takes, from its pace so far.
///
/// A pure value: the caller passes the time, in seconds of a clock that never goes back. There is no estimate before
/// there is something to estimate from, and none while the work makes no progress. The estimate counts down by itself;
/// where the pace changes, it follows within seconds and does not jump.
package struct ProgressEstimate: Sendable {
  /// The least time to estimate from, in seconds.
  package static let leastSeconds = 2.0
  /// The least share of the work to estimate from.
  package static let leastShare = 0.01
  /// The least number of steps to estimate from.
  package static let leastSteps = 2
  /// How far back the pace counts, in seconds: what is older by this counts for 1/e.
  package static let paceSeconds = 10.0
  /// How quickly the estimate follows a new pace, in seconds: after this, 1/e of a difference is left.
  package static let followSeconds = 5.0
  /// A difference from the new pace that the estimate does not follow, as a share of it.
  package static let tolerance = 0.1
  /// Work without a step for this many seconds makes no progress; also if that is less than thrice the longest pause before.
  package static let stillSeconds = 10.0
  /// The longest estimate, in seconds.
  package static let longestSeconds = 172_800.0

  private var first: (time: Double, done: Double)?
  private var last: (time: Double, done: Double)?
  private var lastStep = 0.0
  private var steps = 0
  private var longestPause = 0.0
  /// What was done, and in how many seconds, with weights that fall with age.
  private var recentWork = 0.0
  private var recentTime = 0.0
  /// When the work ends, as last displayed.
  private var end: Double?

  /// Creates an estimate of work that begins.
  package init() {}

  /// Takes how far the work is, and estimates how long the rest takes.
  ///
  /// Call it at every step, and occasionally without one. Less than before is work that began again.
  ///
  /// - Parameters:
  ///   - done: What is done, in any unit.
  ///   - total: All of it; 0 if it is not known.
  ///   - now: The time in seconds.
  /// - Returns: The seconds that the rest takes; `nil` if nothing can be said.
  package mutating func update(done: Double, total: Double, at now: Double) -> Double? {
    if let last, done < last.done { self = ProgressEstimate() }
    guard let first, let last else {
      (self.first, self.last) = ((now, done), (now, done))
      lastStep = now
      return nil
    }
    let passed = max(0, now - last.time)
    let weight = exp(-passed / Self.paceSeconds)
    recentWork = recentWork * weight + (done - last.done)
    recentTime = recentTime * weight + passed
    self.last = (now, done)
    if done > last.done {
      steps += 1
      longestPause = max(longestPause, now - lastStep)
      lastStep = now
    }
    guard total > 0, done < total, steps >= Self.leastSteps,
      now - first.time >= Self.leastSeconds, done - first.done >= Self.leastShare * total,
      now - lastStep < max(Self.stillSeconds, 3 * longestPause), recentWork > 0
    else {
      end = nil
      return nil
    }
    let measured = (total - done) / recentWork * recentTime
    let displayed = follow(measured, passed: passed, at: now)
    return displayed <= Self.longestSeconds ? displayed : nil
  }

  /// Moves the displayed estimate towards the measured one.
  private mutating func follow(_ measured: Double, passed: Double, at now: Double) -> Double {
    guard let end else {
      self.end = now + measured
      return measured
    }
    let displayed = max(0, end - now)
    let difference = measured - displayed
    let ignored = Self.tolerance * measured
    guard abs(difference) > ignored else { return displayed }
    let change =
      (difference - (difference < 0 ? -ignored : ignored))
      * (1 - exp(-passed / Self.followSeconds))
    self.end = now + displayed + change
    return displayed + change
  }
}
