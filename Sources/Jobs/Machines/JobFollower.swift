/// Follows one job to its end as a value: what happens and a moment go in, orders come out.
///
/// 1. Every event is delivered at most once, in the order of its number, and the end exactly once.
/// 2. A number that is neither the next one nor covered by its event means that something was lost: the
///    follower connects again from the last event it has.
/// 3. A transport that never opens gives way to the next one: WebSocket, server-sent events, polling. Once a
///    while the best one is tried again.
/// 4. Before it connects with a token that is about to expire, while a stream is open when that moment comes, and after the server refused one, it gets a new
///    one first.
/// 5. It gives up only when the server says that the job never existed or that its results are gone, or when
///    a token is refused and cannot be renewed.
public struct JobFollower: Hashable, Sendable {
  /// A way to hear of events.
  public enum Transport: Int, CaseIterable, Hashable, Sendable {
    case webSocket
    case eventStream
    case polling
  }

  /// What is to be done, in order.
  public enum Order: Hashable, Sendable {
    /// Open a stream of events after a position; later attempts have later numbers.
    case connect(Transport, after: EventPosition?, attempt: Int)
    /// Leave the stream.
    case disconnect
    /// Ask for the state once.
    case poll(attempt: Int)
    /// Get a new token.
    case refreshToken
    /// Wake the follower after some milliseconds; a later order replaces an earlier one.
    case wake(after: Int64)
    /// Hand this over.
    case deliver(JobMessage)
    /// It is over; nothing follows.
    case finish(Ending)
  }

  /// How following ends.
  public enum Ending: Hashable, Sendable {
    /// The job ended so.
    case ended(JobCompletion)
    /// The server knows no such job.
    case unknownJob
    /// The job's results are gone.
    case expired
    /// The token is refused and cannot be renewed.
    case unauthorized
  }

  /// Why a stream or a question failed.
  public enum Trouble: Hashable, Sendable {
    /// The server answered with another status.
    case status(Int)
    /// There was no answer, or the connection broke.
    case broken
    /// A WebSocket was closed.
    case closed(code: UInt16, reason: String)
  }

  /// Waits and limits, in milliseconds.
  public struct Policy: Hashable, Sendable {
    /// The longest waits before the first attempts after a failure; the last one counts for all later.
    public var backoff: [Int64] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
    /// How often a transport may fail to open before the next one is tried.
    public var failuresBeforeFallback = 2
    /// After how long on a lesser transport the best one is tried again.
    public var retryBestAfter: Int64 = 60_000
    /// How often to ask when polling.
    public var pollInterval: Int64 = 2_000
    /// How long before its end a token is renewed.
    public var tokenMargin: Int64 = 60_000
    /// After how long without a sign of life a stream counts as lost.
    public var silence: Int64 = 62_500

    /// The usual waits.
    public init() {}
  }

  private enum Phase: Hashable {
    case idle
    case connecting
    case open
    case waiting
    case polling
    case refreshing
    case over
  }

  private let policy: Policy
  private let best: Transport
  private var phase = Phase.idle
  /// The transport in use.
  public private(set) var transport: Transport
  /// The last event that was delivered.
  public private(set) var position: EventPosition?
  private var attempt = 0
  private var failures = 0
  private var openFailures = 0
  private var refreshFailures = 0
  /// From when on a new token is wanted; nothing if that is not known.
  private var renewAt: Int64?
  private var lesserSince: Int64?
  private var heardAt: Int64 = 0
  private var isTokenRefused = false

  /// Creates a follower.
  ///
  /// - Parameters:
  ///   - policy: Waits and limits.
  ///   - position: The last event that is known, for one that goes on after a restart.
  ///   - tokenExpiry: When the token expires, in milliseconds; nothing if that is not known.
  ///   - transport: The best transport there is.
  public init(
    policy: Policy = Policy(),
    after position: EventPosition? = nil,
    tokenExpiry: Int64? = nil,
    transport: Transport = .webSocket
  ) {
    best = transport
    self.transport = transport
    self.policy = policy
    self.position = position
    renewAt = tokenExpiry.map { $0 - policy.tokenMargin }
  }

  /// Whether it is over.
  public var isOver: Bool { phase == .over }

  /// Begins.
  public mutating func start(now: Int64) -> [Order] {
    guard phase == .idle else { return [] }
    return connect(now)
  }

  /// A stream is open; what it says comes through ``received(_:attempt:now:draw:)``.
  public mutating func opened(attempt: Int, now: Int64) -> [Order] {
    guard phase == .connecting, attempt == self.attempt else { return [] }
    phase = .open
    heardAt = now
    return [.wake(after: rest(now))]
  }

  /// A message came.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - attempt: Of which stream it is.
  ///   - now: The moment, in milliseconds.
  ///   - draw: A random number.
  /// - Returns: What is to be done.
  public mutating func received(
    _ message: JobMessage,
    attempt: Int,
    now: Int64,
    draw: UInt64
  ) -> [Order] {
    guard phase == .open, attempt == self.attempt else { return [] }
    return take(message, now: now, draw: draw)
  }

  private mutating func take(_ message: JobMessage, now: Int64, draw: UInt64) -> [Order] {
    heardAt = now
    // A transport that speaks is a good one.
    openFailures = 0
    failures = 0
    if case .token(_, let expiry) = message.body { setToken(expiry, now) }
    if let at = message.position {
      let last = position.flatMap { $0.epoch == at.epoch ? $0.seq : nil } ?? 0
      guard at.seq > last || message.isTerminal else { return [] }
      let isNext = at.seq == last + 1 || (message.covers ?? at.seq) <= last + 1
      // The end stands for everything before it.
      guard isNext || message.isTerminal else { return lost(now, draw) }
      position = at
    } else if case .snapshot(let standing) = message.body, let seq = standing.lastSeq,
      standing.isRecovered != true
    {
      position = EventPosition(epoch: message.epoch ?? position?.epoch ?? 0, seq: seq)
    }
    guard case .ended(let completion) = message.body else { return [.deliver(message)] }
    phase = .over
    return [.deliver(message), .disconnect, .finish(.ended(completion))]
  }

  /// A sign of life came that is no message: a ping, a comment of a stream.
  public mutating func heard(now: Int64) { heardAt = now }

  /// A stream could not be opened, or it ended.
  public mutating func ended(
    _ trouble: Trouble,
    attempt: Int,
    now: Int64,
    draw: UInt64
  ) -> [Order] {
    guard phase == .connecting || phase == .open, attempt == self.attempt else { return [] }
    let wasOpen = phase == .open
    switch trouble {
    case .status(401), .status(403): return refuseToken(now, draw)
    case .status(404):
      // A server without this transport answers so too: the state tells.
      fallBack(now)
      return poll()
    case .status(410): return finish(.expired)
    case .closed(let code, let reason):
      switch JobCloseCode.action(after: code, reason: reason) {
      case .finish, .askState: return poll()
      case .refreshToken: return refuseToken(now, draw)
      case .reconnect: break
      }
    case .status, .broken: break
    }
    if !wasOpen || heardAt == 0 {
      openFailures += 1
      if openFailures >= policy.failuresBeforeFallback { fallBack(now) }
    }
    return back(now, draw)
  }

  /// The state came.
  ///
  /// - Parameters:
  ///   - messages: The events that were missed, or the state in their place.
  ///   - now: The moment, in milliseconds.
  ///   - draw: A random number.
  /// - Returns: What is to be done.
  public mutating func polled(_ messages: [JobMessage], now: Int64, draw: UInt64) -> [Order] {
    guard phase == .polling else { return [] }
    failures = 0
    var orders: [Order] = []
    for message in messages {
      orders += take(message, now: now, draw: draw)
      guard phase == .polling else { return orders }
    }
    return orders + afterPoll(now)
  }

  /// The state is the same as before (304).
  public mutating func unchanged(now: Int64) -> [Order] {
    guard phase == .polling else { return [] }
    failures = 0
    return afterPoll(now)
  }

  /// Asking for the state failed.
  public mutating func pollFailed(_ trouble: Trouble, now: Int64, draw: UInt64) -> [Order] {
    guard phase == .polling else { return [] }
    switch trouble {
    case .status(401), .status(403): return refuseToken(now, draw)
    case .status(404): return finish(.unknownJob)
    case .status(410): return finish(.expired)
    default: return back(now, draw)
    }
  }

  /// There is a new token.
  public mutating func tokenRefreshed(expiresAt: Int64?, now: Int64) -> [Order] {
    guard phase == .refreshing else { return [] }
    setToken(expiresAt, now)
    isTokenRefused = false
    refreshFailures = 0
    return connect(now)
  }

  /// There is no new token.
  public mutating func tokenNotRefreshed(
    _ trouble: Trouble,
    now: Int64,
    draw: UInt64
  ) -> [Order] {
    guard phase == .refreshing else { return [] }
    switch trouble {
    case .status(401), .status(403): return finish(.unauthorized)
    case .status(404): return finish(.unknownJob)
    case .status(410): return finish(.expired)
    default:
      refreshFailures += 1
      return back(now, draw)
    }
  }

  /// The time of the last ``Order/wake(after:)`` has come.
  public mutating func woke(now: Int64, draw: UInt64) -> [Order] {
    switch phase {
    case .waiting: return connect(now)
    case .open:
      if wantsToken(now) {
        phase = .refreshing
        return [.disconnect, .refreshToken]
      }
      guard heardAt + policy.silence <= now else { return [.wake(after: rest(now))] }
      return lost(now, draw)
    case .idle, .connecting, .polling, .refreshing, .over: return []
    }
  }

  // MARK: Steps

  private mutating func connect(_ now: Int64) -> [Order] {
    if let lesserSince, now - lesserSince >= policy.retryBestAfter {
      transport = best
      openFailures = 0
      self.lesserSince = nil
    }
    if isTokenRefused || wantsToken(now) {
      phase = .refreshing
      return [.refreshToken]
    }
    if transport == .polling { return poll() }
    attempt += 1
    phase = .connecting
    heardAt = 0
    return [.connect(transport, after: position, attempt: attempt)]
  }

  /// After how long an open stream is to be looked at: it may be silent, or the token old.
  private func rest(_ now: Int64) -> Int64 {
    let silent = heardAt + policy.silence - now
    guard refreshFailures == 0, let renewAt else { return silent }
    return max(0, min(silent, renewAt - now))
  }

  private func wantsToken(_ now: Int64) -> Bool {
    refreshFailures == 0 && renewAt.map { $0 <= now } ?? false
  }

  /// A token that is good for a short time only is used for half of it at least.
  private mutating func setToken(_ expiry: Int64?, _ now: Int64) {
    renewAt = expiry.flatMap { expiry in
      expiry > now ? max(expiry - policy.tokenMargin, now + (expiry - now + 1) / 2) : nil
    }
  }

  private mutating func poll() -> [Order] {
    attempt += 1
    phase = .polling
    return [.disconnect, .poll(attempt: attempt)]
  }

  private mutating func afterPoll(_ now: Int64) -> [Order] {
    phase = .waiting
    return [.wake(after: policy.pollInterval)]
  }

  private mutating func lost(_ now: Int64, _ draw: UInt64) -> [Order] {
    [.disconnect] + back(now, draw)
  }

  private mutating func refuseToken(_ now: Int64, _ draw: UInt64) -> [Order] {
    // A token that was renewed a moment ago and is refused again is refused for good.
    guard failures < policy.backoff.count else { return finish(.unauthorized) }
    isTokenRefused = true
    failures += 1
    phase = .refreshing
    return [.disconnect, .refreshToken]
  }

  private mutating func fallBack(_ now: Int64) {
    openFailures = 0
    if lesserSince == nil { lesserSince = now }
    transport = Transport(rawValue: transport.rawValue + 1) ?? .polling
  }

  /// Waits with full jitter: anything up to the longest wait of this attempt.
  private mutating func back(_ now: Int64, _ draw: UInt64) -> [Order] {
    let longest = policy.backoff[min(failures, policy.backoff.count - 1)]
    failures += 1
    phase = .waiting
    return [.wake(after: Int64(draw % UInt64(max(1, longest))))]
  }

  private mutating func finish(_ ending: Ending) -> [Order] {
    phase = .over
    return [.disconnect, .finish(ending)]
  }
}
