import Freshness

/// The current copy as required by the rules.
struct Copy: Sendable {
  var revision: Revision
  var validator: Validator?
  var hasRealtime: Bool
  var ageAtArrival: Int64
  var arrivedAt: Int64
  var hasServerAge: Bool
  /// R36: that of the copy, or of the last one before it that had one.
  var sourceTime: Int64?
  /// Whether it is the copy's own.
  var isDated: Bool
  var provenance: Provenance = .server
  var changedAt: Int64
  var verifiedAt: Int64

  func age(at now: Int64) -> Int64 { ageAtArrival + max(now - arrivedAt, 0) }
}

/// The visible failure as required by the rules.
struct Trouble: Hashable, Sendable {
  var kind: Failure.Kind
  var status: Int32
  var since: Int64
}
