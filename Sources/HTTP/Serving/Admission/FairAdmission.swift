/// Decides whose request runs next, and which is refused, so that each client network gets its share of a server.
///
/// As long as one network asks, all its requests run. While several do:
/// 1. Each network has at most ``Slots/ofNetwork`` that run, and all together at most ``Slots/ofAll``; the others wait.
/// 2. Of those that wait the one with the least start tag runs next: start-time fair queuing (Goyal, Vin, Cheng, 1996).
///    The tag is the work that the network was charged before, or the tag of what runs now, if that is later. So a
///    network that asks little is next, and those that ask much get the same work each, whatever their requests cost.
/// 3. A request is charged what requests of its route usually cost when it comes, and the difference when it has run. Its
///    cost is the time it ran, divided among those that ran at the same time on the same processors, in milliseconds.
/// 4. A network whose requests would wait for longer than ``AdmissionLimits/patienceMilliseconds`` asks for more than its
///    share: it is refused. If all networks together have too many that wait, the server is full.
///
/// A site of IPv6 has the shares of ``AdmissionLimits/siteShares`` networks. The table of networks is bounded: those that ask nothing
/// are forgotten, and beyond the limit their aggregate represents networks.
///
/// The caller supplies the time, in seconds of any clock; one that goes back counts as stopped.
struct FairAdmission: Sendable {
  /// How many requests run at once while several networks ask.
  struct Slots: Hashable, Sendable {
    /// How many make progress at the same time.
    var processors: Int
    /// The most of one network.
    var ofNetwork: Int
    /// The most of all networks.
    var ofAll: Int
  }

  /// The account that is charged for a request.
  struct Account: Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable { case local, network, aggregate, rest }

    fileprivate var kind: Kind
    fileprivate var network: ClientNetwork?
  }

  /// A request that runs.
  struct Running: Hashable, Sendable {
    /// The account that is charged.
    fileprivate(set) var account: Account
    fileprivate var charged: Double
    fileprivate var began: Double
  }

  /// A request that waited and runs from now on.
  struct Call: Hashable, Sendable {
    var requestID: UInt64
    var request: Running
  }

  /// Why a request is refused.
  struct Refusal: Hashable, Sendable {
    enum Reason: String, CaseIterable, Sendable {
      /// Its network asks for more than its share.
      case share
      /// The whole server is full.
      case full
    }

    var reason: Reason
    /// When to ask again, in seconds.
    var retryAfter: Int
    /// Whether the network asks again before it was to.
    var isEarly: Bool
  }

  enum Decision: Hashable, Sendable {
    case run(Running)
    /// It runs when its number comes out of another call.
    case wait
    case refuse(Refusal)
  }

  /// What a network may still ask for, in requests of the same cost.
  struct Quota: Hashable, Sendable {
    /// How many it may send in ``window``.
    var requests: Int
    /// The seconds over which they count.
    var window: Int
    var remaining: Int
    /// Until all of them may be sent again, in seconds.
    var reset: Int
  }

  /// What is known of a network.
  private struct State {
    var running = 0
    var waiting = 0
    /// The cost of the requests that wait.
    var backlog = 0.0
    /// Requests whose turn came while the network had all its slots, the first one first.
    var parked: [UInt64] = []
    /// The tag of its next request, and of its last one.
    var finish = 0.0
    var tag = 0.0
    var seen: Double
    /// Until when it was asked to wait.
    var toldUntil = -Double.infinity
    /// Its work of the last minute, in milliseconds, as it was at an instant.
    var recent = 0.0
    var recentAt: Double
  }

  private struct Waiting {
    var account: Account
    var tag: Double
    var charged: Double
  }

  let slots: Slots
  let limits: AdmissionLimits
  private var states: [Account: State] = [:]
  private var aggregates = 0
  private var sites: [ClientNetwork: Double] = [:]
  private var waitingRequests: [UInt64: Waiting] = [:]
  private var queue = TagQueue()
  /// The tag of what runs.
  private var virtualTime = 0.0
  private(set) var running = 0
  /// The slots that are taken: of a network no more than it may have.
  private var occupied = 0
  /// The networks with requests.
  private var busy = 0
  /// The milliseconds of work that each running request has had since the beginning.
  private var work = 0.0
  private var latest = -Double.infinity
  /// Before then no network is forgotten.
  private var nextSweep = -Double.infinity

  init(_ slots: Slots, limits: AdmissionLimits = AdmissionLimits()) {
    self.slots = Slots(
      processors: max(1, slots.processors),
      ofNetwork: max(1, slots.ofNetwork),
      ofAll: max(1, slots.ofAll)
    )
    self.limits = limits
  }

  /// Whether several networks ask.
  var isContested: Bool { states.count > 1 }
  /// How many requests wait.
  var waiting: Int { waitingRequests.count }
  /// How many entries the queue has, with those of no use.
  var queued: Int { queue.count }
  /// How many networks are known.
  var known: Int { states.count }

  // MARK: Requests

  /// A request came.
  ///
  /// - Parameters:
  ///   - requestID: Its number, one that no other request has.
  ///   - network: Its client; `nil` on a Unix socket.
  ///   - cost: What such a request usually costs, in milliseconds.
  ///   - isRefusable: Whether it may be refused.
  ///   - now: The time.
  /// - Returns: Its outcome, and requests that run now because networks were forgotten.
  mutating func arrive(
    _ requestID: UInt64,
    _ network: ClientNetwork?,
    cost: Double,
    isRefusable: Bool = true,
    now: Double
  ) -> (decision: Decision, calls: [Call]) {
    advance(to: now)
    let calls = forget()
    let account = account(of: network)
    enter(account)
    return (decide(requestID, account, cost, isRefusable), calls)
  }

  /// A request that runs wants to continue after it has waited for something else than a processor.
  mutating func resume(
    _ requestID: UInt64,
    _ account: Account,
    cost: Double,
    now: Double
  ) -> Decision {
    advance(to: now)
    enter(account)
    return decide(requestID, account, cost, false)
  }

  /// A request is answered, or waits for something else than a processor.
  ///
  /// - Returns: Its cost in milliseconds, and the requests that run from now on.
  mutating func end(_ request: Running, now: Double) -> (cost: Double, calls: [Call]) {
    advance(to: now)
    let cost = min(max(0, work - request.began), AdmissionLimits.longestChargeSeconds * 1_000)
    let account = request.account
    charge(account, cost - request.charged)
    running -= 1
    guard var state = states[account] else { return (cost, []) }
    state.recent = recent(state) + cost
    state.recentAt = latest
    state.running -= 1
    if state.running < slots.ofNetwork { occupied -= 1 }
    if state.running == 0, state.waiting == 0 { busy -= 1 }
    unpark(&state)
    states[account] = state
    return (cost, forget() + call())
  }

  /// A request that waits is no longer wanted.
  mutating func abandon(_ requestID: UInt64) {
    guard let request = waitingRequests.removeValue(forKey: requestID) else { return }
    queue.isAbandoned(requestID, left: waitingRequests)
    charge(request.account, -request.charged)
    leaveQueue(request)
    if states[request.account]?.running == 0, states[request.account]?.waiting == 0 { busy -= 1 }
  }

  /// What a network may still ask for.
  ///
  /// - Parameters:
  ///   - account: The account of the network.
  ///   - cost: What such a request usually costs, in milliseconds.
  /// - Returns: The quota; `nil` while it may ask for anything.
  func quota(_ account: Account, cost: Double) -> Quota? {
    guard isContested, let state = states[account] else { return nil }
    let rate = rate
    let cost = max(cost, 0.01)
    let patience = Double(limits.patienceMilliseconds)
    func requests(_ milliseconds: Double) -> Int {
      max(0, Int(min(milliseconds * rate / cost, 1e9)))
    }
    let wait = state.backlog / rate
    return Quota(
      requests: max(1, requests(patience)),
      window: max(1, Int((patience / 1_000).rounded(.up))),
      remaining: requests(patience - wait),
      reset: max(1, Int((wait / 1_000).rounded(.up)))
    )
  }

  /// What a network may still ask for that asks under its own name.
  func quota(of network: ClientNetwork?, cost: Double) -> Quota? {
    quota(Account(kind: network == nil ? .local : .network, network: network), cost: cost)
  }

  /// The networks that had most work in the last minute.
  func top(
    _ most: Int,
    now: Double
  ) -> [(network: String, work: Double, running: Int, waiting: Int)] {
    let now = max(now, latest)
    return states.map { account, state in
      (account.description, recent(state, now), state.running, state.waiting)
    }
    .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    .prefix(most)
    .map { (network: $0.0, work: $0.1, running: $0.2, waiting: $0.3) }
  }

  // MARK: Parts

  private mutating func advance(to now: Double) {
    guard now > latest else { return }
    if running > 0, latest.isFinite {
      let speed = min(1, Double(slots.processors) / Double(running))
      work += (now - latest) * 1_000 * speed
    }
    latest = now
  }

  private mutating func account(of network: ClientNetwork?) -> Account {
    guard let network else { return Account(kind: .local, network: nil) }
    let own = Account(kind: .network, network: network)
    if states[own] != nil || states.count - aggregates < limits.networks { return own }
    let aggregate = Account(kind: .aggregate, network: network.aggregate)
    if states[aggregate] != nil || aggregates < AdmissionLimits.aggregates { return aggregate }
    return Account(kind: .rest, network: nil)
  }

  /// Notes that a network asks.
  private mutating func enter(_ account: Account) {
    if states[account] == nil {
      states[account] = State(seen: latest, recentAt: latest)
      if account.kind == .aggregate || account.kind == .rest { aggregates += 1 }
    } else {
      states[account]?.seen = latest
    }
  }

  private mutating func decide(
    _ requestID: UInt64,
    _ account: Account,
    _ cost: Double,
    _ isRefusable: Bool
  ) -> Decision {
    guard var state = states[account] else {
      return .run(Running(account: account, charged: 0, began: work))
    }
    let runs =
      !isContested
      || state.running < slots.ofNetwork && state.waiting == 0 && occupied < slots.ofAll
    if !runs, isRefusable, let refusal = refusal(&state) {
      states[account] = state
      return .refuse(refusal)
    }
    let site = account.network?.site.map { sites[$0] ?? 0 } ?? 0
    state.tag = max(virtualTime, state.finish, site, state.tag)
    state.finish = state.tag
    if state.running == 0, state.waiting == 0 { busy += 1 }
    if runs {
      virtualTime = max(virtualTime, state.tag)
      states[account] = state
      charge(account, cost)
      return .run(start(account, charged: cost))
    }
    state.waiting += 1
    state.backlog += cost
    states[account] = state
    charge(account, cost)
    waitingRequests[requestID] = Waiting(account: account, tag: state.tag, charged: cost)
    queue.insert(requestID, state.tag)
    return .wait
  }

  private func refusal(_ state: inout State) -> Refusal? {
    let wait = state.backlog / rate
    let reason: Refusal.Reason
    if wait > Double(limits.patienceMilliseconds) {
      reason = .share
    } else if waitingRequests.count >= limits.waitingRequests {
      reason = .full
    } else {
      return nil
    }
    let seconds = max((wait / 1_000).rounded(.up), Double(AdmissionLimits.retryAfterSeconds))
    let retryAfter = Int(min(seconds, Double(AdmissionLimits.longestRetrySeconds)))
    let isEarly = latest < state.toldUntil
    if !isEarly { state.toldUntil = latest + Double(retryAfter) }
    return Refusal(reason: reason, retryAfter: retryAfter, isEarly: isEarly)
  }

  /// How fast the requests of a network are worked off while all that have some get the same, in milliseconds of work a
  /// millisecond.
  private var rate: Double {
    let share = Double(slots.ofAll) / Double(max(1, busy))
    let speed = min(1, Double(slots.processors) / Double(max(1, min(running, slots.ofAll))))
    return min(Double(slots.ofNetwork), share) * speed
  }

  private mutating func start(_ account: Account, charged: Double) -> Running {
    let before = states[account]?.running ?? 0
    if before < slots.ofNetwork { occupied += 1 }
    states[account]?.running = before + 1
    running += 1
    return Running(account: account, charged: charged, began: work)
  }

  private mutating func charge(_ account: Account, _ cost: Double) {
    states[account]?.finish += cost
    guard let site = account.network?.site else { return }
    let share = cost / Double(AdmissionLimits.siteShares)
    if let finish = sites[site] {
      sites[site] = max(finish, virtualTime) + share
    } else if sites.count < limits.networks {
      sites[site] = virtualTime + share
    }
  }

  private mutating func leaveQueue(_ request: Waiting) {
    guard var state = states[request.account] else { return }
    state.waiting -= 1
    state.backlog = state.waiting == 0 ? 0 : max(0, state.backlog - request.charged)
    states[request.account] = state
  }

  /// Puts requests back into the queue for which the network has slots again.
  private mutating func unpark(_ state: inout State) {
    var free = isContested ? slots.ofNetwork - state.running : state.parked.count
    while free > 0, !state.parked.isEmpty {
      let requestID = state.parked.removeFirst()
      guard let request = waitingRequests[requestID] else { continue }
      queue.insert(requestID, request.tag)
      free -= 1
    }
  }

  /// Starts the requests that may run now.
  private mutating func call() -> [Call] {
    var calls: [Call] = []
    while !isContested || occupied < slots.ofAll, let requestID = queue.popFirst() {
      guard let request = waitingRequests[requestID] else { continue }
      let running = states[request.account]?.running ?? 0
      guard !isContested || running < slots.ofNetwork else {
        states[request.account]?.parked.append(requestID)
        continue
      }
      waitingRequests[requestID] = nil
      virtualTime = max(virtualTime, request.tag)
      leaveQueue(request)
      let started = start(request.account, charged: request.charged)
      calls.append(Call(requestID: requestID, request: started))
    }
    return calls
  }

  /// Forgets networks that have not asked for long, once a second at most.
  private mutating func forget() -> [Call] {
    guard latest >= nextSweep else { return [] }
    nextSweep = latest + 1
    guard isContested else { return [] }
    let isFull = states.count - aggregates >= limits.networks
    let before = isFull ? latest : latest - AdmissionLimits.memorySeconds
    states = states.filter { _, state in
      state.seen >= before || state.running > 0 || state.waiting > 0
    }
    aggregates = states.keys.count { $0.kind == .aggregate || $0.kind == .rest }
    sites = sites.filter { $0.value > virtualTime }
    guard !isContested else { return [] }
    for (account, var state) in states {
      unpark(&state)
      states[account] = state
    }
    return call()
  }

  private func recent(_ state: State, _ now: Double? = nil) -> Double {
    let elapsed = max(0, (now ?? latest) - state.recentAt)
    return state.recent * max(0, 1 - elapsed / AdmissionLimits.memorySeconds)
  }
}

extension FairAdmission.Account: CustomStringConvertible {
  /// The network, for operators.
  var description: String {
    switch kind {
    case .local: "socket"
    case .network, .aggregate: network?.description ?? ""
    case .rest: "others"
    }
  }
}
