/// How the requests of client networks are admitted (``FairAdmission``).
package struct AdmissionLimits: Hashable, Sendable {
  /// How many milliseconds the requests of one network may have to wait for each other, while others ask too; a request
  /// that would wait longer is refused with 429.
  package var patienceMilliseconds = ServerLimits().patienceMilliseconds
  /// The most requests of all networks that wait for their turn; a further one is refused with 503.
  package var waitingRequests = ServerLimits().waitingRequests
  /// The most networks that are told apart; further ones are known by their aggregate.
  package var networks = ServerLimits().networks
  /// The most percent of connections, streams, waits and uploads that one network holds while no other has any.
  package var networkPercent = ServerLimits().networkPercent

  /// For how long a network counts as one that asks, in seconds after its last request.
  ///
  /// Longer than the usual time between two questions of a board.
  package static let memorySeconds = 60.0
  /// The most aggregates of networks.
  package static let aggregates = 1_024
  /// How many networks' shares a site of IPv6 has, however many networks it asks from.
  package static let siteShares = 4
  /// The most seconds that a request is charged.
  package static let longestChargeSeconds = 60.0
  /// The most seconds of `Retry-After`.
  package static let longestRetrySeconds = 60
  /// The most routes whose costs are told apart.
  package static let routes = 512
  /// How long the refusal of a request is held back that comes before its network was to ask again, in milliseconds.
  package static let refusalPauseMilliseconds = 1_000
  /// The most refusals that are held back.
  package static let heldRefusals = 4_096
  /// `Retry-After` when the whole server is full, or a network holds its share of places, in seconds.
  package static let retryAfterSeconds = 2
  /// How many networks operators are shown.
  package static let shownNetworks = 10

  /// The usual limits.
  package init() {}

  /// The limits of a server.
  package init(_ limits: ServerLimits) {
    patienceMilliseconds = limits.patienceMilliseconds
    waitingRequests = limits.waitingRequests
    networks = limits.networks
    networkPercent = limits.networkPercent
  }
}
