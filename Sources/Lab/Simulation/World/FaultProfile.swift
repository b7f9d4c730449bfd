import Hashing

/// The faults of an episode, and their strength.
///
/// Every episode draws its own set: a world in which everything fails all the time never gets far
/// enough to find rare failures.
struct FaultProfile: Sendable {
  /// A kind of fault or event that an episode may have.
  enum Trait: Int64, CaseIterable {
    case drops, delays, duplicates, corruption, lateAnswers, foreignAnswers, hostCancels
    case lateAlarms, lostAlarms, earlyChecks, sleeps
    case background, suspension, focus, observers, paces, refreshes, switches, writes, evictions
    case prefetch, actions, activity, offline, metered, forgery
    case outages, throttling, refusals, degraded, restarts, wrongValidators, noValidators
    case jumps, silentServer, rhythm, hints, streamFaults
    case edges, caches, restores, restraints, storms
  }

  private var traits: UInt64 = 0
  /// The mean time between two events of users and devices.
  var pause: Int64 = 5_000
  /// The mean time for which the server's state lasts.
  var weatherFor: Int64 = 60_000
  /// The usual time of a round trip.
  var roundTrip: Int64 = 150

  /// Draws the faults of an episode.
  init(_ random: inout SplitMix64) {
    switch random.below(8) {
    case 0: traits = 0
    case 1: traits = .max
    case 2, 3: traits = random.next() & random.next()
    default: traits = random.next()
    }
    pause = random.scale(7, 16)
    weatherFor = random.scale(11, 19)
    roundTrip = random.scale(4, 9)
  }

  /// Returns whether the episode has a trait.
  func has(_ trait: Trait) -> Bool { traits >> UInt64(trait.rawValue) & 1 == 1 }
}
