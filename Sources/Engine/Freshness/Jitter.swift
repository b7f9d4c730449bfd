/// How a wait is varied, so that clients which started together do not stay together (R10).
public enum Jitter: Hashable, Sendable {
  /// The wait is kept exactly.
  case none
  /// A length between two bounds is added or taken away, by a coin (seed 000: ± 300–600 ms).
  case signed(Timespan, Timespan)
  /// A length up to a bound is added or taken away (seed 001: ± 2 s).
  case within(Timespan)
  /// A share of the wait, in percent, is added or taken away (± 10 %).
  case share(Int64)
  /// A share of the wait, in percent, is added and never taken away.
  case above(Int64)
  /// Any length from nothing to the whole wait (full jitter).
  case full

  /// Varies a wait with one draw.
  public func applied(to wait: Timespan, draw: RandomSample) -> Timespan {
    switch self {
    case .none: return wait
    case .signed(let least, let most):
      let rest = RandomSample(bits: draw.bits << 1)
      let change = rest.between(least, most)
      return draw.bits >> 31 == 0 ? wait - change : wait + change
    case .within(let bound): return draw.between(wait - bound, wait + bound)
    case .share(let share):
      let bound = wait.percent(share)
      return draw.between(wait - bound, wait + bound)
    case .above(let share): return wait + draw.upTo(wait.percent(share))
    case .full: return draw.upTo(wait)
    }
  }
}
