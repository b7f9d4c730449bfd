import Freshness

/// One way to break a rule, and how.
struct MutantPlan: Sendable {
  /// The rule it breaks.
  var rule: Rule
  /// What it does, as a name.
  var name: String
  var fault: Mutant.Fault

  /// Makes a plan out of one distortion.
  init(
    _ rule: Rule,
    _ name: String,
    policy: (@Sendable (inout Policy) -> Void)? = nil,
    event: (@Sendable (Event, inout Mutant.Memory) -> Event)? = nil,
    effects: (@Sendable (inout Effects, Event, inout Mutant.Memory) -> Void)? = nil,
    shown: (@Sendable (inout Mutant.Shown, Mutant.Memory) -> Void)? = nil,
    label: (@Sendable (inout FreshnessLabel, Mutant.Memory) -> Void)? = nil,
    wording: (@Sendable (Age.Wording) -> Age.Wording)? = nil,
    draw: (@Sendable (RandomSample) -> RandomSample)? = nil,
    record: (@Sendable (inout Diagnostics, Effects) -> Void)? = nil
  ) {
    self.rule = rule
    self.name = name
    fault = Mutant.Fault(
      policy: policy,
      event: event,
      effects: effects,
      shown: shown,
      label: label,
      wording: wording,
      draw: draw,
      record: record
    )
  }

  /// Every mutant there is; each rule has at least one.
  static let all = requests + schedule + faults + answers + outcomes + shown + hints + trust

  /// A fault that never hears of some events; the host's look at the time takes their place.
  static func deaf(
    to isUnheard: @escaping @Sendable (Event) -> Bool
  )
    -> @Sendable (Event, inout Mutant.Memory) -> Event
  { { event, _ in isUnheard(event) ? .woke : event } }
}
