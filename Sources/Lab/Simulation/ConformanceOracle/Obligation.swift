/// What an event requires of the machine.
enum Obligation: Sendable {
  /// Nothing new; continue as far as the facts allow.
  case goOn
  /// Request now, replacing one in flight.
  case ask(Want, Rule)
  /// Request now, replacing one in flight, if the budget of impatience covers it (R40).
  case insist(Want, Rule)
  /// Request now, or right after the one in flight (R2).
  case askOrFollow(Want, Rule)
  /// Request now, unless one is in flight.
  case askOrJoin(Want, Rule)
  /// Wait; a request in flight is over.
  case wait(Reason, Want, Rule)
  /// Events may have been missed on the stream (R33).
  case catchUp
  /// Stop.
  case stop(Rule)
}
