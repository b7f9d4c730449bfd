/// The quality that a response reports: the part of its metadata that a label needs (R26).
///
/// A subset of ``FreshnessMetadata``, because a process may hold a hundred thousand machines.
struct Quality: Hashable, Sendable {
  var mode: ResponseMode?
  var status: RealtimeStatus?
  var appliedFlag: Bool?
  var reason: RealtimeStatus?

  /// Creates a quality without any information.
  init() {}

  /// Creates a quality from metadata.
  init(_ metadata: FreshnessMetadata) {
    mode = metadata.mode
    status = metadata.status
    appliedFlag = metadata.appliedFlag
    reason = metadata.reason
  }

  /// The quality as metadata without any other field.
  var metadata: FreshnessMetadata {
    FreshnessMetadata(mode: mode, status: status, appliedFlag: appliedFlag, reason: reason)
  }

  /// Returns the quality updated by a later response about the same body (R16).
  func updated(by later: FreshnessMetadata) -> Quality { Quality(metadata.updated(by: later)) }

  /// The state of realtime data, from the first field that gives it.
  var effectiveStatus: RealtimeStatus? { metadata.effectiveStatus }
}
