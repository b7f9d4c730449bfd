/// Follows one job to its end, as a value: takes an event, an instant and a random number, and returns orders.
///
/// 1. Every event is delivered at most once, in the order of its number, and the end exactly once.
/// 2. A number that is neither the next one nor covered by its event means that something was lost: the
///    follower connects again from the last event it has. What is missing or cannot be read again and again at one
///    place is passed over: the events behind it count, or the state in place of all of them.
/// 3. A transport that never opens gives way to the next one: WebSocket, server-sent events, polling. Once a
///    while the best one is tried again.
/// 4. A token that is about to expire is renewed: before it connects, and beside an open stream. A failed renewal is
///    tried again, with growing pauses. A token that the server rejected is renewed first.
/// 5. It gives up only when the server says that the job never existed or that its results are gone, or when
///    a token is refused and cannot be renewed.
///
/// This folder has no imports and forms no strings: it is compiled as a part of this module, and with Embedded Swift
/// for WebAssembly, where the page of jobs runs it (Sources/Jobs/JobsWasm).
public struct FollowMachine: Hashable, Sendable {
  private enum Phase: Hashable {
    case idle
    case connecting
    case open
    case waiting
    case polling
    case refreshing
    case over
  }

  /// What cannot be read or is missing behind an event, and how often that was so.
  private struct PoisonEvent: Hashable {
    var place: EventPosition?
    var times: Int
  }

  /// The number of an event that no log has: asked what comes behind it, a server says the state.
  private static let behindAll: Int64 = 9_007_199_254_740_991

  private let policy: Policy
  private let best: Transport
  private var phase = Phase.idle
  /// The transport in use.
  public private(set) var transport: Transport
  /// The last event that was delivered.
  public private(set) var position: EventPosition?
  /// The number of the last stream or question.
  private(set) var attempt = 0
  private var failures = 0
  private var openFailures = 0
  private var refreshFailures = 0
  /// How often in a row the token was rejected.
  private var refusals = 0
  /// When the token expires; `nil` if unknown.
  private var tokenExpiry: Int64?
  /// When to request a new token; `nil` if unknown.
  private var renewAt: Int64?
  private var lesserSince: Int64?
  private var openedAt: Int64 = 0
  private var heardAt: Int64 = 0
  /// Whether the stream has delivered anything.
  private var hasHeard = false
  /// Whether the stream has delivered something unreadable, and nothing new since.
  private var hasUnreadable = false
  /// The shortest wait before a stream of events is opened again, as the last one said (`retry:`).
  private var reconnectionTime: Int64 = 0
  private var poisonEvent: PoisonEvent?
  /// Whether the job is over, as the server said last.
  private var isJobOver = false
  private var isRenewing = false
  private var isTokenRefused = false

  /// Creates a machine.
  ///
  /// - Parameters:
  ///   - policy: Waits and limits.
  ///   - position: The last known event, to continue after a restart.
  ///   - tokenExpiry: When the token expires, in milliseconds of the clock of all instants here; `nil` if unknown.
  ///   - transport: The best available transport.
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
    self.tokenExpiry = tokenExpiry
    renewAt = tokenExpiry.map { $0 - policy.tokenMargin }
  }

  /// Whether it is over.
  public var isOver: Bool { phase == .over }

  /// What is visible of the machine.
  public var status: Status {
    let isAnswered = transport == .polling && failures == 0 && phase != .refreshing
    return Status(
      transport: transport,
      position: position,
      isLive: phase == .open || isAnswered,
      isOver: isOver
    )
  }

  /// The event to ask for those behind it when the state is asked for.
  ///
  /// Where the events themselves were of no use it is one that there is not, which is answered with the state.
  var asksAfter: EventPosition? {
    guard let poisonEvent, poisonEvent.place == position,
      poisonEvent.times >= policy.attemptsBeforeSkipping
    else { return position }
    return EventPosition(epoch: position?.epoch ?? 0, seq: Self.behindAll)
  }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The current instant, in milliseconds.
  ///   - random: A random number.
  /// - Returns: The actions to take.
  public mutating func handle(_ event: Event, now: Int64, random: UInt64) -> [Order] {
    switch event {
    case .start: phase == .idle ? connect(now) : []
    case .opened(let attempt): opened(attempt, now)
    case .received(let message, let attempt):
      phase == .open && attempt == self.attempt ? handle(message, 0, now, random) : []
    case .heard(let attempt): heard(attempt, now)
    case .reconnects(let wait, let attempt): reconnects(wait, attempt)
    case .ended(let trouble, let attempt): ended(trouble, attempt, now, random)
    case .polled(let messages, let isOver, let attempt):
      polled(messages, isOver, attempt, now, random)
    case .unchanged(let attempt): unchanged(attempt)
    case .pollFailed(let trouble, let attempt): pollFailed(trouble, attempt, now, random)
    case .tokenRefreshed(let expiry): tokenRefreshed(expiry, now)
    case .tokenNotRefreshed(let trouble): tokenNotRefreshed(trouble, now, random)
    case .woke: woke(now, random)
    }
  }

  // MARK: Events

  private mutating func opened(_ attempt: Int, _ now: Int64) -> [Order] {
    guard phase == .connecting, attempt == self.attempt else { return [] }
    phase = .open
    openedAt = now
    heardAt = now
    return [.wake(after: rest(now))]
  }

  private mutating func handle(
    _ message: Message,
    _ index: Int,
    _ now: Int64,
    _ random: UInt64
  ) -> [Order] {
    _ = heard(attempt, now)
    // A transport that speaks is a good one.
    openFailures = 0
    let before = position
    let isEnd = message.content == .ended
    switch message.content {
    case .unreadable: hasUnreadable = true
    // The moment is one of the server's clock, as that of the message is.
    case .token(let expiry): setToken(expiry.map { now + $0 - (message.at ?? now) }, now)
    default: break
    }
    if let at = message.position {
      let last = position.flatMap { $0.epoch == at.epoch ? $0.seq : nil } ?? 0
      guard at.seq > last || isEnd else { return [] }
      let isNext = at.seq - 1 == last || (message.covers ?? at.seq) - 1 <= last
      // The end covers everything before it; an event that is missing every time will not
      // arrive.
      guard isNext || isEnd || countPoisonEvent() else { return lost(now, random) }
      position = at
    } else if case .snapshot(let seq?, false) = message.content {
      position = EventPosition(epoch: message.epoch ?? position?.epoch ?? 0, seq: seq)
    }
    if position != before {
      failures = 0
      refusals = 0
      hasUnreadable = false
    }
    guard isEnd else { return [.deliver(index: index)] }
    return [.deliver(index: index)] + finish(.ended)
  }

  private mutating func heard(_ attempt: Int, _ now: Int64) -> [Order] {
    guard attempt == self.attempt else { return [] }
    heardAt = now
    hasHeard = true
    return []
  }

  private mutating func reconnects(_ wait: Int64, _ attempt: Int) -> [Order] {
    guard attempt == self.attempt else { return [] }
    reconnectionTime = min(max(0, wait), policy.longestReconnection)
    return []
  }

  private mutating func ended(
    _ trouble: Trouble,
    _ attempt: Int,
    _ now: Int64,
    _ random: UInt64
  ) -> [Order] {
    guard phase == .connecting || phase == .open, attempt == self.attempt else { return [] }
    if phase == .open, now - openedAt >= policy.backoff.last ?? 0 {
      // A stream that lasted was a good one.
      failures = 0
      refusals = 0
    }
    switch trouble {
    // Nothing is missing, or the job is over: the state says which.
    case .status(204): return poll()
    case .status(401), .status(403): return refuseToken()
    case .status(404):
      // A server without this transport answers so too: the state shows which it is.
      fallBack(now)
      return poll()
    case .status(410): return finish(.expired)
    case .unreadable: return metPoisonEvent(now, random)
    case .closed(let code, let isLimit):
      switch JobCloseCode.action(after: code, isLimit: isLimit) {
      case .finish, .askState: return poll()
      case .refreshToken: return refuseToken()
      case .reconnect:
        if code == JobCloseCode.tooLong.rawValue { return metPoisonEvent(now, random) }
      }
    case .status, .broken: break
    }
    return hasUnreadable ? metPoisonEvent(now, random) : broke(now, random)
  }

  private mutating func polled(
    _ messages: [Message],
    _ isOver: Bool,
    _ attempt: Int,
    _ now: Int64,
    _ random: UInt64
  ) -> [Order] {
    guard phase == .polling, attempt == self.attempt else { return [] }
    failures = 0
    refusals = 0
    isJobOver = isOver
    var orders: [Order] = []
    for index in messages.indices {
      orders += handle(messages[index], index, now, random)
      guard phase == .polling else { return orders }
    }
    return orders + afterPoll()
  }

  private mutating func unchanged(_ attempt: Int) -> [Order] {
    guard phase == .polling, attempt == self.attempt else { return [] }
    failures = 0
    refusals = 0
    return afterPoll()
  }

  private mutating func pollFailed(
    _ trouble: Trouble,
    _ attempt: Int,
    _ now: Int64,
    _ random: UInt64
  ) -> [Order] {
    guard phase == .polling, attempt == self.attempt else { return [] }
    switch Self.ending(trouble) {
    case .unauthorized: return refuseToken()
    case let ending?: return finish(ending)
    case nil: break
    }
    if trouble == .unreadable { _ = countPoisonEvent() }
    return back(now, random)
  }

  private mutating func tokenRefreshed(_ expiry: Int64?, _ now: Int64) -> [Order] {
    guard phase != .idle, phase != .over else { return [] }
    isRenewing = false
    isTokenRefused = false
    setToken(expiry, now)
    switch phase {
    case .refreshing: return connect(now)
    case .open: return [.wake(after: rest(now))]
    case .idle, .connecting, .waiting, .polling, .over: return []
    }
  }

  private mutating func tokenNotRefreshed(
    _ trouble: Trouble,
    _ now: Int64,
    _ random: UInt64
  ) -> [Order] {
    guard isRenewing, phase != .over else { return [] }
    isRenewing = false
    let ending = Self.ending(trouble)
    if let ending, phase == .refreshing { return finish(ending) }
    refreshFailures += 1
    // An open stream continues with the old token while that is valid.
    renewAt = ending != nil ? nil : tokenExpiry.map { now + renewalWait($0 - now) }
    switch phase {
    case .refreshing: return isTokenRefused ? back(now, random) : connect(now)
    case .open: return [.wake(after: rest(now))]
    case .waiting: return renewAt.map { [.wake(after: $0 - now)] } ?? []
    case .idle, .connecting, .polling, .over: return []
    }
  }

  private mutating func woke(_ now: Int64, _ random: UInt64) -> [Order] {
    switch phase {
    case .waiting: return connect(now)
    case .open:
      guard heardAt + policy.silence > now else { return [.disconnect] + broke(now, random) }
      return (wantsToken(now) ? renewal() : []) + [.wake(after: rest(now))]
    case .idle, .connecting, .polling, .refreshing, .over: return []
    }
  }

  /// Returns how following ends if the server answers so to a question or to the request for a token.
  private static func ending(_ trouble: Trouble) -> Ending? {
    switch trouble {
    case .status(401), .status(403): .unauthorized
    case .status(404): .unknownJob
    case .status(410): .expired
    default: nil
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
      return renewal()
    }
    if transport == .polling { return poll() }
    attempt += 1
    phase = .connecting
    hasHeard = false
    hasUnreadable = false
    return [.connect(transport: transport, after: position, attempt: attempt)]
  }

  /// Returns when an open stream needs a check: it may be silent, or the token old.
  private func rest(_ now: Int64) -> Int64 {
    let silent = max(0, heardAt + policy.silence - now)
    guard !isRenewing, let renewAt else { return silent }
    return max(0, min(silent, renewAt - now))
  }

  private func wantsToken(_ now: Int64) -> Bool { renewAt.map { $0 <= now } ?? false }

  /// Asks for a new token, if it was not asked for before.
  private mutating func renewal() -> [Order] {
    guard !isRenewing else { return [] }
    isRenewing = true
    return [.refreshToken]
  }

  /// How long to wait after a renewal that failed: longer each time, but not over the end of the token.
  private func renewalWait(_ left: Int64) -> Int64 {
    let longest = policy.backoff[min(refreshFailures, policy.backoff.count) - 1]
    guard left > 0 else { return longest }
    return min(longest, max(policy.backoff[0], (left + 1) / 2))
  }

  /// A token that is good for a short time only is used for half of it at least.
  private mutating func setToken(_ expiry: Int64?, _ now: Int64) {
    refreshFailures = 0
    tokenExpiry = expiry
    renewAt = expiry.flatMap { expiry in
      expiry > now ? max(expiry - policy.tokenMargin, now + (expiry - now + 1) / 2) : nil
    }
  }

  private mutating func poll() -> [Order] {
    attempt += 1
    phase = .polling
    return [.disconnect, .poll(after: asksAfter, attempt: attempt)]
  }

  private mutating func afterPoll() -> [Order] {
    if isJobOver, countPoisonEvent(), let poisonEvent,
      poisonEvent.times > policy.attemptsBeforeSkipping
    {
      // It is over, and the message that says how cannot be had, nor with the state in place of events.
      return [.deliverEnd] + finish(.ended)
    }
    phase = .waiting
    return [.wake(after: policy.pollInterval)]
  }

  private mutating func lost(_ now: Int64, _ random: UInt64) -> [Order] {
    [.disconnect] + back(now, random)
  }

  /// A stream ended; one that said nothing counts as one that did not open.
  private mutating func broke(_ now: Int64, _ random: UInt64) -> [Order] {
    if !hasHeard {
      openFailures += 1
      if openFailures >= policy.failuresBeforeFallback { fallBack(now) }
    }
    return back(now, random)
  }

  /// Counts what is missing or not to be read behind the last event; whether it is to be passed over.
  private mutating func countPoisonEvent() -> Bool {
    let times = poisonEvent.flatMap { $0.place == position ? $0.times : nil } ?? 0
    // The number stops growing where it makes no difference.
    poisonEvent = PoisonEvent(place: position, times: min(times, policy.attemptsBeforeSkipping) + 1)
    return times + 1 >= policy.attemptsBeforeSkipping
  }

  /// A stream ended over something that cannot be read.
  private mutating func metPoisonEvent(_ now: Int64, _ random: UInt64) -> [Order] {
    guard countPoisonEvent() else { return back(now, random) }
    // The state did not lead on either: this way is not gone again for a while.
    if let poisonEvent, poisonEvent.times > policy.attemptsBeforeSkipping { transport = .polling }
    if transport == .polling, lesserSince == nil { lesserSince = now }
    return poll()
  }

  private mutating func refuseToken() -> [Order] {
    // A token that was renewed a moment ago and is refused again is refused for good.
    guard refusals < policy.backoff.count else { return finish(.unauthorized) }
    isTokenRefused = true
    refusals += 1
    phase = .refreshing
    return [.disconnect] + renewal()
  }

  private mutating func fallBack(_ now: Int64) {
    openFailures = 0
    if lesserSince == nil { lesserSince = now }
    transport = Transport(rawValue: transport.rawValue + 1) ?? .polling
  }

  /// Waits with full jitter: anything up to the longest wait of this attempt, but not over the end of the token.
  ///
  /// The reconnection time of a stream of events comes first: clients that lost one at once do not come back at once.
  private mutating func back(_ now: Int64, _ random: UInt64) -> [Order] {
    let longest = policy.backoff[min(failures, policy.backoff.count - 1)]
    failures += 1
    phase = .waiting
    let least = transport == .eventStream ? reconnectionTime : 0
    let wait = least + Int64(random % UInt64(max(1, longest)))
    guard !isRenewing, let renewAt else { return [.wake(after: wait)] }
    return [.wake(after: min(wait, max(0, renewAt - now)))]
  }

  private mutating func finish(_ ending: Ending) -> [Order] {
    phase = .over
    return [.disconnect, .finish(ending: ending)]
  }
}
