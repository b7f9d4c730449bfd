import Freshness

/// A way to break a rule.
struct MutantPlan: Sendable {
  /// The rule it breaks.
  var rule: Rule
  /// A name for its behavior.
  var name: String
  var fault: Mutant.Fault

  /// Creates a plan from one distortion.
  init(
    _ rule: Rule,
    _ name: String,
    policy: (@Sendable (inout Policy) -> Void)? = nil,
    event: (@Sendable (Event, inout Mutant.Memory) -> Event)? = nil,
    effects: (@Sendable (inout Effects, Event, inout Mutant.Memory) -> Void)? = nil,
    shown: (@Sendable (inout Mutant.Shown, Mutant.Memory) -> Void)? = nil,
    label: (@Sendable (inout FreshnessLabel, Mutant.Memory) -> Void)? = nil,
    wording: (@Sendable (Age.Wording) -> Age.Wording)? = nil,
    random: (@Sendable (RandomSample) -> RandomSample)? = nil,
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
      random: random,
      record: record
    )
  }

  /// All mutants; each rule has at least one.
  static let all = requests + schedule + faults + answers + outcomes + shown + hints + trust

  /// Returns a fault that drops some events; the host's time check replaces them.
  static func deaf(
    to isUnheard: @escaping @Sendable (Event) -> Bool
  )
    -> @Sendable (Event, inout Mutant.Memory) -> Event
  { { event, _ in isUnheard(event) ? .woke : event } }
}
