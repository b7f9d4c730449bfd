/// Why a socket is closed, and what a client does about it.
///
/// Every reason has a code of its own.
public enum JobCloseCode: UInt16, CaseIterable, Hashable, Sendable {
  /// The terminal event was sent.
  case finished = 1000
  /// The server stops.
  case goingAway = 1001
  /// The frames break the protocol.
  case protocolError = 1002
  /// A message is not valid UTF-8.
  case invalidText = 1007
  /// A message is too long.
  case tooLong = 1009
  /// The server failed to answer.
  case serverError = 1011
  /// The server starts again.
  case restart = 1012
  /// Too many listen; ask again later.
  case busy = 1013
  /// The token is missing, wrong or revoked.
  case unauthorized = 4401
  /// The job does not exist.
  case unknownJob = 4404
  /// The job's results are gone.
  case expired = 4410
  /// The token is too old.
  case tokenExpired = 4419
  /// Too many messages that are not understood.
  case tooManyNotices = 4429
  /// The client reads too slowly.
  case tooSlow = 4430

  /// The reaction of a client to a close.
  public enum Action: Hashable, Sendable {
    /// It is over: the terminal event came before.
    case finish
    /// Connect again, with backoff, from the last event.
    case reconnect
    /// Get a new token first, then connect again.
    case refreshToken
    /// Connecting again is of no use; ask for the state once.
    case askState
  }

  /// Returns the reaction to a close with any code, including those of other servers.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - isLimit: Whether the reason is a limit: some codes of older servers mean that or a bad token.
  /// - Returns: What to do.
  public static func action(after code: UInt16, isLimit: Bool) -> Action {
    switch JobCloseCode(rawValue: code) {
    case .finished: .finish
    case .unauthorized, .tokenExpired: .refreshToken
    case .unknownJob, .expired: .askState
    // Older servers close with it for a bad token and for too many connections alike.
    case nil where code == 1008: isLimit ? .reconnect : .refreshToken
    default: .reconnect
    }
  }
}
