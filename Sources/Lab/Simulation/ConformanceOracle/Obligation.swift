/// What an event asks of the machine.
enum Obligation: Sendable {
  /// Nothing new; go on as far as the facts allow.
  case goOn
  /// Ask now, in place of a request that is out.
  case ask(Want, Rule)
  /// Ask now, in place of a request that is out, if the budget of impatience covers it (R40).
  case insist(Want, Rule)
  /// Ask now, or right after the request that is out (R2).
  case askOrFollow(Want, Rule)
  /// Ask now; a request that is out will do.
  case askOrJoin(Want, Rule)
  /// Wait; a request that is out is over.
  case wait(Reason, Want, Rule)
  /// Something may have been missed on the stream (R33).
  case catchUp
  /// Stop.
  case stop(Rule)
}
