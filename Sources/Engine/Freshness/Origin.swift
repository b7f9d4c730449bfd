/// What a client knows of one origin, for all the resources it serves (R39).
///
/// A value without clock and sockets, like the machines. The host reports every request that a
/// machine orders and every end. The value returns the requests to send now, and the restraint to
/// pass to the origin's machines (``Event/restrained(_:)``).
///
/// ```swift
/// origin.ask(ticket, priority: request.priority, isLongPoll: request.longPoll != nil)
/// while let next = origin.admit(at: now) { send(next.number, waitingAtServer: next.isHeld) }
/// // After a response:
/// origin.ended(ticket, outcome, serverTime: served, rateLimit: limit, resources: 3, at: now)
/// // Pass `origin.restraint` to the machines, then tell them which requests were not sent:
/// for number in origin.takeBack(at: now) { answer(number, Answer(.cancelled)) }
/// ```
public struct Origin: Hashable, Sendable {
  /// The maximum number of origins that a client remembers.
  ///
  /// Beyond it, clients forget an origin without resources, one under a restraint last.
  public static let mostRemembered = 256

  /// The constants of an origin.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of requests in flight; as many as browsers open connections to a server.
    public var mostRequests: Int32 = 6
    /// The maximum number of them that the server holds; at least one place is always left to the
    /// others.
    ///
    /// Half of the connections of a browser: every held request occupies one over HTTP/1.1.
    public var mostHeld: Int32 = 3
    /// The number of them that only requests of the user may take, so that slow ones of the schedule
    /// do not delay them.
    public var reserved: Int32 = 1
    /// The consecutive failures, of any resources, from which the origin counts as failing.
    public var quietAfter: Int32 = 3
    /// The waits while it is failing, in order; the last one repeats.
    public var ladder: [Instant.Duration] = [.seconds(2), .seconds(5), .seconds(10), .seconds(20)]
    /// The longest `Retry-After` or rate limit that is honored.
    public var retryAfterCap: Instant.Duration = .minutes(5)

    /// Creates the default constants.
    public init() {}

    /// Creates the constants of the origins of a client: with the ladder and the cap of its policy.
    public init(policy: Policy) {
      ladder = policy.ladder
      retryAfterCap = policy.retryAfterCap
    }
  }

  /// A request to send now.
  public struct Admission: Hashable, Sendable {
    /// Its number.
    public var number: Int64
    /// Whether the server may hold it, which is only `true` of a long poll (R32).
    ///
    /// If it is `false` of a long poll, the host sends an ordinary request and passes
    /// ``Event/notHeld(_:)`` to the machine.
    public var isHeld: Bool

    /// Creates an admission.
    public init(number: Int64, isHeld: Bool) {
      self.number = number
      self.isHeld = isHeld
    }
  }

  /// The constants.
  public let limits: Limits
  /// The restraint to pass to the machines of the origin.
  public private(set) var restraint = Restraint()
  /// The consecutive failures, of any resources.
  public private(set) var failures: Int32 = 0
  /// The numbers of the requests in flight that are answered at once.
  private var out: [Int64] = []
  /// The numbers of the requests in flight that the server holds, and of event streams.
  private var waitingAtServer: [Int64] = []
  /// The requests that wait to be sent.
  private var waiting = RequestQueue()
  /// What is left of the rate limit until it resets.
  private var remaining: Int64 = 0
  /// A whole window of a rate limit whose windows are as short as the unit in which they are stated: the most requests that were
  /// left, including the one whose response stated it, and the longest time.
  private var shortWindow: RateLimit?
  /// Whether the server cuts what is more than a whole second: it stated a reset in less than one.
  private var isCut = false

  /// Creates an origin without any history.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of requests in flight.
  public var requests: Int { out.count + waitingAtServer.count }

  /// The number of requests in flight that the server holds, and of event streams.
  public var held: Int { waitingAtServer.count }

  /// The number of requests that wait to be sent.
  public var queue: Int { waiting.count }

  /// The maximum number of requests now that the server does not hold.
  ///
  /// One, as a probe, while the origin is failing; it does not wait for held requests.
  public var places: Int { isFailing ? 1 : max(Int(limits.mostRequests) - held, 1) }

  /// Whether another request may be held: not while the origin is failing, and never in the last
  /// place.
  private var mayHold: Bool {
    !isFailing && held < min(Int(limits.mostHeld), Int(limits.mostRequests) - 1)
  }

  private var isFailing: Bool { failures >= limits.quietAfter }

  /// The maximum number of requests now that the server does not hold, if the next has a priority.
  private func places(for priority: Request.Priority) -> Int {
    priority == .high || isFailing ? places : max(places - Int(limits.reserved), 1)
  }

  /// Returns whether a request waits to be sent.
  public func isWaiting(_ number: Int64) -> Bool { waiting.contains(number) }

  // MARK: Requests

  /// Adds a request that a machine ordered; user requests come first, then those with lower numbers.
  ///
  /// A request that waits already gets the priority, if that is higher: the user asked for it too.
  public mutating func ask(
    _ number: Int64,
    priority: Request.Priority,
    isLongPoll: Bool = false
  ) {
    guard !out.contains(number), !waitingAtServer.contains(number) else { return }
    waiting.add(number, priority: priority, isLongPoll: isLongPoll)
  }

  /// Returns a request to send now, if one may be sent: none that the restraint delays.
  ///
  /// A long poll never waits until it may be held: it becomes an ordinary request.
  public mutating func admit(at now: Instant) -> Admission? {
    guard let next = waiting.first, !restraint.delays(next.priority, at: now) else { return nil }
    // A held request takes its place from all, but not the one that is reserved.
    guard out.count < places(for: next.priority) else { return nil }
    waiting.removeFirst()
    let isHeld = next.isLongPoll && mayHold
    if isHeld { waitingAtServer.append(next.number) } else { out.append(next.number) }
    return Admission(number: next.number, isHeld: isHeld)
  }

  /// Removes the requests that wait and that the restraint delays; the host has not sent them.
  ///
  /// The host passes the restraint to their machines first, then ``Outcome/cancelled``, after which they wait as long as the
  /// restraint lasts.
  ///
  /// - Parameters:
  ///   - now: The instant.
  ///   - most: The maximum number to remove; the others wait until the next call.
  /// - Returns: Their numbers, in order.
  public mutating func takeBack(at now: Instant, most: Int = .max) -> [Int64] {
    // What delays any request delays those of the lowest priority. Hosts call this after every event, and thousands may wait.
    let restraint = restraint
    guard restraint.delays(.low, at: now) else { return [] }
    return waiting.remove(atMost: most) { restraint.delays($0.priority, at: now) }
  }

  /// Opens an event stream that occupies a connection as long as it lasts, like a held request (R33).
  ///
  /// - Returns: Whether it may be opened. If not, it counts as lost: the machine polls, and opens it
  ///   again later. ``withdraw(_:)`` records its end.
  public mutating func open(_ number: Int64) -> Bool {
    guard held < min(Int(limits.mostHeld), Int(limits.mostRequests) - 1),
      requests + Int(limits.reserved) < Int(limits.mostRequests)
    else { return false }
    waitingAtServer.append(number)
    return true
  }

  /// Removes a request that a machine canceled, sent or not, or an event stream that ended.
  public mutating func withdraw(_ number: Int64) {
    out.removeAll { $0 == number }
    waitingAtServer.removeAll { $0 == number }
    waiting.remove(number)
  }

  /// Records the end of a request.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - outcome: The outcome of the request.
  ///   - serverTime: The server's clock when it responded, to measure a `Retry-After` date.
  ///   - rateLimit: What the response says about the rate limit.
  ///   - resources: The number of resources of the origin that are kept fresh, to share the rate.
  ///   - now: When it ended.
  public mutating func ended(
    _ number: Int64,
    _ outcome: Outcome,
    serverTime: WallTime? = nil,
    rateLimit: RateLimit? = nil,
    resources: Int32 = 1,
    at now: Instant
  ) {
    withdraw(number)
    var isTold = false
    switch outcome {
    case .cancelled: return
    case .throttled(let hint):
      failed(at: now)
      let wait = hint?.wait(serverTime: serverTime, cap: limits.retryAfterCap) ?? .zero
      if wait > .zero {
        holdOff(until: now + wait)
        isTold = true
      }
    case .serverError, .timedOut, .unreachable: failed(at: now)
    case .content, .unchanged, .refused, .unauthorised, .gone, .undecodable:
      // Any response at all shows that the origin is up.
      failures = 0
      restraint.quietUntil = nil
    }
    shape(rateLimit, resources: resources, isTold: isTold, at: now)
  }

  // MARK: The restraint

  private mutating func failed(at now: Instant) {
    failures = min(failures + 1, 1_000)
    guard isFailing, let last = limits.ladder.indices.last else { return }
    let wait = limits.ladder[min(Int(failures - limits.quietAfter), last)]
    restraint.quietUntil = restraint.quietUntil.map { max($0, now + wait) } ?? now + wait
  }

  private mutating func holdOff(until instant: Instant) {
    restraint.notBefore = restraint.notBefore.map { max($0, instant) } ?? instant
  }

  /// Shares what is left of the rate limit among the resources, evenly until it resets.
  ///
  /// A response that says nothing about it, such as that of a proxy or none at all, does not end the limit. Of responses about
  /// one window, which may overtake each other, the one that leaves least counts. What a `Retry-After` says (`isTold`) is when to
  /// ask again, also where the limit resets later.
  private mutating func shape(
    _ rateLimit: RateLimit?,
    resources: Int32,
    isTold: Bool,
    at now: Instant
  ) {
    guard let rateLimit else {
      if let end = restraint.sharedUntil, now >= end {
        (restraint.leastInterval, restraint.sharedUntil) = (nil, nil)
      }
      return
    }
    // The fields count whole seconds, and some servers cut what is more.
    isCut = isCut || rateLimit.reset <= .zero
    var reset = min(max(rateLimit.reset, .zero) + Self.resetUnit, limits.retryAfterCap)
    var left = max(rateLimit.remaining, 0)
    if shortWindow == nil, let end = restraint.sharedUntil,
      abs((now + reset - end).milliseconds) <= Self.sameReset
    {
      left = min(left, remaining)
    } else {
      let isShort = rateLimit.reset <= Self.shortReset
      if isShort { reset = max(rateLimit.reset, Self.resetUnit) }
      shortWindow = isShort ? shortWindow ?? RateLimit(remaining: 0, reset: .zero) : nil
      restraint.sharedUntil = now + reset
    }
    remaining = left
    if left == 0, !isTold { holdOff(until: now + reset) }
    if var window = shortWindow {
      // What is left of a window that ends at once says little of the next ones.
      window.remaining = max(window.remaining, min(left, .max - 1) + 1)
      window.reset = max(window.reset, rateLimit.reset)
      shortWindow = window
      if isCut { window.reset = window.reset + Self.resetUnit }
      share(window, among: resources)
    } else if left > 0 {
      // The shares of a limit that is used up remain, so that not all resources send at its reset.
      share(RateLimit(remaining: left, reset: reset), among: resources)
    }
  }

  private mutating func share(_ limit: RateLimit, among resources: Int32) {
    let all = (limit.reset * Int64(max(resources, 1))).milliseconds
    let each = Instant.Duration(milliseconds: all / limit.remaining)
    restraint.leastInterval = min(each, limits.retryAfterCap)
  }

  /// The unit in which responses state when a rate limit resets.
  private static let resetUnit = Instant.Duration.seconds(1)
  /// How far apart two responses may state the same reset, in milliseconds: the unit, and how long they take.
  private static let sameReset: Int64 = 1_500
  /// A window that begins with so little time left is too short for either.
  private static let shortReset = Instant.Duration.seconds(2)
}
