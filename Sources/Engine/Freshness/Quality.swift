/// What an answer says of its quality: all that a label needs of its marks (R26).
///
/// A part of ``FreshnessMetadata``, because a process may hold a hundred thousand machines.
struct Quality: Hashable, Sendable {
  var mode: ResponseMode?
  var status: RealtimeStatus?
  var appliedFlag: Bool?
  var reason: RealtimeStatus?

  /// Nothing is known.
  init() {}

  /// Takes the quality out of marks.
  init(_ marks: FreshnessMetadata) {
    mode = marks.mode
    status = marks.status
    appliedFlag = marks.appliedFlag
    reason = marks.reason
  }

  /// The quality as marks that say nothing else.
  var marks: FreshnessMetadata {
    FreshnessMetadata(mode: mode, status: status, appliedFlag: appliedFlag, reason: reason)
  }

  /// Takes over what a later answer about the same body says (R16).
  func updated(by later: FreshnessMetadata) -> Quality { Quality(marks.updated(by: later)) }

  /// What became of realtime data, from the first field that tells.
  var effectiveStatus: RealtimeStatus? { marks.effectiveStatus }
}
