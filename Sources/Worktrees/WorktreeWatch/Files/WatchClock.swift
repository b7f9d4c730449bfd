import Glibc

/// The clocks of the machine, in seconds.
package enum WatchClock {
  /// A clock that never goes back and stops while the machine sleeps, for waits.
  package static var monotonic: Double { read(CLOCK_MONOTONIC) }
  /// A clock that never goes back and counts the time that the machine sleeps, for ages that are shown.
  package static var elapsed: Double { read(CLOCK_BOOTTIME) }
  /// Seconds since 1970-01-01T00:00:00Z.
  package static var wall: Double { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
