/// How a wait is varied, so that clients that started together spread out (R10).
public enum Jitter: Hashable, Sendable {
  /// The wait is not varied.
  case none
  /// A length between two bounds is added or subtracted at random (seed 000: ± 300–600 ms).
  case signed(Instant.Duration, Instant.Duration)
  /// A length up to a bound is added or subtracted (seed 001: ± 2 s).
  case within(Instant.Duration)
  /// A share of the wait, in percent, is added or subtracted (± 10 %).
  case share(Int64)
  /// A share of the wait, in percent, is added but never subtracted.
  case above(Int64)
  /// Any length from zero to the whole wait (full jitter).
  case full

  /// Returns a wait varied by a random sample.
  public func applied(to wait: Instant.Duration, random: RandomSample) -> Instant.Duration {
    switch self {
    case .none: return wait
    case .signed(let least, let most):
      let rest = RandomSample(bits: random.bits << 1)
      let change = rest.between(least, most)
      return random.bits >> 31 == 0 ? wait - change : wait + change
    case .within(let bound): return random.between(wait - bound, wait + bound)
    case .share(let share):
      let bound = wait.percent(share)
      return random.between(wait - bound, wait + bound)
    case .above(let share): return wait + random.upTo(wait.percent(share))
    case .full: return random.upTo(wait)
    }
  }
}
