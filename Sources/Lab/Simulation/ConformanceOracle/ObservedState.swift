import Freshness

/// The state visible to observers after the last step (R16).
struct ObservedState: Hashable, Sendable {
  var revision: Revision?
  var failure: Trouble?
  var isLoading = false
  var status: RealtimeStatus?
  var mode: ResponseMode?
  var isKept = false
  var provenance = Provenance.server
  var isAgeKnown = true
}
