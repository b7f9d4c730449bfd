import Hashing
import Testing

@testable import Serving

/// Whose request runs next, and which is refused.
@Suite struct FairAdmissionTests {
  private let one = ClientNetwork(address: [10, 0, 0, 1])
  private let other = ClientNetwork(address: [10, 0, 0, 2])

  /// An admission that can be asked in an expression.
  private final class Order {
    private(set) var admission: FairAdmission
    private var running: [UInt64: FairAdmission.Running] = [:]
    private(set) var costs: [UInt64: Double] = [:]
    private(set) var refusals: [FairAdmission.Refusal] = []

    init(_ most: Int = 1, all: Int = 4, _ limits: AdmissionLimits = AdmissionLimits()) {
      let slots = FairAdmission.Slots(processors: 2, ofNetwork: most, ofAll: all)
      admission = FairAdmission(slots, limits: limits)
    }

    /// Whether a request runs at once.
    func enter(
      _ network: ClientNetwork?,
      _ requestID: UInt64,
      now: Double,
      cost: Double = 1
    ) -> Bool {
      let (decision, calls) = admission.arrive(requestID, network, cost: cost, now: now)
      for call in calls { running[call.requestID] = call.request }
      switch decision {
      case .run(let request):
        running[requestID] = request
        return true
      case .wait: return false
      case .refuse(let refusal):
        refusals.append(refusal)
        return false
      }
    }

    /// The requests that run after one has ended.
    func leave(_ requestID: UInt64, now: Double) -> [UInt64] {
      guard let request = running.removeValue(forKey: requestID) else { return [] }
      let (cost, calls) = admission.end(request, now: now)
      costs[requestID] = cost
      for call in calls { running[call.requestID] = call.request }
      return calls.map(\.requestID)
    }

    func abandon(_ requestID: UInt64) { admission.abandon(requestID) }
    func runs(_ requestID: UInt64) -> Bool { running[requestID] != nil }
  }

  @Test func `while one client asks, all its requests run`() {
    let order = Order()
    for number in 0..<100 as Range<UInt64> { #expect(order.enter(one, number, now: 0)) }
    #expect(order.admission.waiting == 0)
    for number in 0..<100 as Range<UInt64> { #expect(order.leave(number, now: 1).isEmpty) }
    #expect(order.enter(one, 100, now: 1_000))
  }

  @Test func `while several clients ask, each has so many that run, and the others wait in order`()
  {
    let order = Order(2)
    #expect(order.enter(other, 0, now: 0))
    let runs = (1...5 as ClosedRange<UInt64>).map { order.enter(one, $0, now: 1) }
    #expect(runs == [true, true, false, false, false])
    #expect(order.enter(other, 6, now: 1))
    #expect(!order.enter(other, 7, now: 1))
    #expect(order.leave(1, now: 2) == [3])
    #expect(order.leave(2, now: 2) == [4])
    #expect(order.leave(0, now: 2) == [7])
    #expect(order.leave(3, now: 2) == [5])
    #expect(order.leave(4, now: 2).isEmpty)
    #expect(order.admission.waiting == 0)
  }

  @Test func `a client that comes when another has many under way runs at once`() {
    let order = Order()
    for number in 0..<64 as Range<UInt64> { #expect(order.enter(one, number, now: 0)) }
    #expect(order.enter(other, 64, now: 0))
    // From now on the many wait for each other.
    #expect(!order.enter(one, 65, now: 0))
    for number in 0..<63 as Range<UInt64> { #expect(order.leave(number, now: 0).isEmpty) }
    #expect(order.leave(63, now: 0) == [65])
  }

  @Test func `a client that has not asked for a minute leaves the processors to the others`() {
    let order = Order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 1))
    for number in 2...4 as ClosedRange<UInt64> { #expect(!order.enter(one, number, now: 1)) }
    #expect(order.leave(0, now: 2).isEmpty)
    #expect(order.leave(1, now: 60) == [2])
    #expect(order.admission.isContested)
    // All that wait run at once.
    #expect(Set(order.leave(2, now: 62)) == [3, 4])
    #expect(!order.admission.isContested)
    #expect(order.enter(one, 5, now: 62))
  }

  @Test func `a client with a request under way is not forgotten`() {
    let order = Order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 100))
    #expect(!order.enter(one, 2, now: 100))
  }

  @Test func `a request that is not wanted any more is left out`() {
    let order = Order()
    #expect(order.enter(other, 0, now: 0))
    #expect(
      (1...3 as ClosedRange<UInt64>).map { order.enter(one, $0, now: 0) } == [true, false, false]
    )
    order.abandon(2)
    #expect(order.leave(1, now: 0) == [3])
    // Clients without a network count as one client.
    #expect(order.enter(nil, 4, now: 0))
    #expect(!order.enter(nil, 5, now: 0))
  }

  @Test func `clients that come and go leave nothing behind`() {
    let order = Order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 0))
    for round in 0..<1_000 as Range<UInt64> {
      #expect(!order.enter(one, 10 + round, now: Double(round) / 1_000))
      order.abandon(10 + round)
    }
    #expect(order.admission.waiting == 0)
    #expect(order.admission.queued < 100)
    #expect(order.leave(1, now: 2).isEmpty)
    #expect(order.enter(one, 2_000, now: 2))
  }

  // MARK: Cost

  @Test func `requests that run at the same time share the processors, and so the cost`() {
    let order = Order()
    for number in 0..<4 as Range<UInt64> { #expect(order.enter(one, number, now: 10)) }
    // Four on two processors for a second, then two.
    #expect(order.leave(0, now: 11).isEmpty)
    #expect(order.leave(1, now: 11).isEmpty)
    #expect(order.leave(2, now: 12).isEmpty)
    #expect(order.costs == [0: 500, 1: 500, 2: 1_500])
  }

  @Test
  func `a clock that goes back stands still, and one that jumps ahead costs a minute at most`() {
    let order = Order()
    #expect(order.enter(one, 0, now: 100))
    #expect(order.enter(one, 1, now: 50))
    #expect(order.leave(1, now: 20).isEmpty)
    #expect(order.costs[1] == 0)
    #expect(order.leave(0, now: 1e9).isEmpty)
    #expect(order.costs[0] == AdmissionLimits.longestChargeSeconds * 1_000)
    #expect(order.enter(other, 2, now: 1e9))
    #expect(order.enter(one, 3, now: 1e9 + 1))
  }

  // MARK: Refusals

  @Test func `a client is refused whose requests would wait for each other too long`() {
    var limits = AdmissionLimits()
    limits.patienceMilliseconds = 1_000
    let order = Order(1, all: 4, limits)
    #expect(order.enter(other, 0, now: 0))
    // 300 ms each: four wait for 1.2 s, and the next one would wait for longer than a second.
    for number in 1...5 as ClosedRange<UInt64> { _ = order.enter(one, number, now: 0, cost: 300) }
    #expect(order.refusals.isEmpty)
    #expect(!order.enter(one, 6, now: 0, cost: 300))
    #expect(!order.enter(one, 7, now: 1, cost: 300))
    #expect(!order.enter(one, 8, now: 2.5, cost: 300))
    #expect(order.refusals.map(\.reason) == [.share, .share, .share])
    #expect(order.refusals.map(\.retryAfter) == [2, 2, 2])
    // The second one came before it was to.
    #expect(order.refusals.map(\.isEarly) == [false, true, false])
    // The other one is not concerned.
    #expect(order.leave(0, now: 3).isEmpty)
    #expect(order.enter(other, 9, now: 3, cost: 300))
  }

  @Test func `what may still be asked for falls with what waits, and comes back`() throws {
    var limits = AdmissionLimits()
    limits.patienceMilliseconds = 1_000
    var admission = FairAdmission(
      .init(processors: 2, ofNetwork: 1, ofAll: 4),
      limits: limits
    )
    let first = admission.arrive(1, one, cost: 100, now: 0).decision
    guard case .run(let running) = first else {
      Issue.record("refused")
      return
    }
    // No other client asks, so anything is admitted.
    #expect(admission.quota(running.account, cost: 100) == nil)
    _ = admission.arrive(2, other, cost: 100, now: 0)
    let full = try #require(admission.quota(running.account, cost: 100))
    #expect(full == .init(requests: 10, window: 1, remaining: 10, reset: 1))
    for requestID in 3...6 as ClosedRange<UInt64> {
      #expect(admission.arrive(requestID, one, cost: 100, now: 0).decision == .wait)
    }
    #expect(admission.quota(running.account, cost: 100)?.remaining == 6)
    _ = admission.end(running, now: 0.1)
    #expect(admission.quota(running.account, cost: 100)?.remaining == 7)
  }

  @Test func `when too many requests of all wait, the server is full`() {
    var limits = AdmissionLimits()
    limits.waitingRequests = 8
    let order = Order(1, all: 2, limits)
    let networks = (0..<12 as Range<UInt8>).map { ClientNetwork(address: [10, 1, 0, $0]) }
    for (number, network) in networks.enumerated() {
      _ = order.enter(network, UInt64(number), now: 0)
    }
    #expect(order.refusals.map(\.reason) == [.full, .full])
    #expect(order.admission.waiting == 8)
  }

  @Test func `the health of a server is answered to a client that is refused`() {
    var limits = AdmissionLimits()
    limits.waitingRequests = 1
    var admission = FairAdmission(.init(processors: 1, ofNetwork: 1, ofAll: 1), limits: limits)
    _ = admission.arrive(1, other, cost: 1, now: 0)
    #expect(admission.arrive(2, one, cost: 1, now: 0).decision == .wait)
    guard case .refuse = admission.arrive(3, one, cost: 1, now: 0).decision else {
      Issue.record("not refused")
      return
    }
    let kept = admission.arrive(4, one, cost: 1, isRefusable: false, now: 0).decision
    #expect(kept == .wait)
  }

  // MARK: The table

  @Test func `networks beyond the limit share an account, and idle ones make room`() {
    var limits = AdmissionLimits()
    limits.networks = 100
    let order = Order(1, all: 4, limits)
    func network(_ number: Int) -> ClientNetwork {
      ClientNetwork(address: [11, UInt8(number / 256), 0, UInt8(number % 256)])
    }
    for number in 0..<1_000 { _ = order.enter(network(number), UInt64(number), now: 0) }
    // Of 1,000 networks none has more than the limit, and some aggregates.
    #expect(order.admission.known <= 100 + 4)
    #expect(order.admission.waiting + 4 + order.refusals.count == 1_000)
    // All are answered, and a new one has an account of its own.
    var next = (0..<1_000 as Range<UInt64>).filter { order.runs($0) }
    while let requestID = next.popLast() { next += order.leave(requestID, now: 1) }
    #expect(order.admission.waiting == 0)
    #expect(order.enter(one, 5_000, now: 100))
    #expect(order.admission.known == 1)
  }

  // MARK: Fairness, by simulation

  /// A network that always has so many requests under way, of a cost.
  private struct Load {
    var network: ClientNetwork
    var connections: Int
    /// The milliseconds of work of each, about.
    var cost: Double
    /// The pause of each connection between two requests, in seconds.
    var pause = 0.0
  }

  private struct Outcome {
    var work: [ClientNetwork: Double] = [:]
    var latencies: [ClientNetwork: [Double]] = [:]

    func p99(_ network: ClientNetwork) -> Double {
      let all = (latencies[network] ?? []).sorted()
      return all.isEmpty ? .infinity : all[min(all.count - 1, all.count * 99 / 100)]
    }
  }

  /// Runs loads on two processors that share themselves equally among what runs, in steps of a quarter of a millisecond.
  private func simulate(
    _ loads: [Load],
    seconds: Double,
    seed: UInt64,
    isFair: Bool = true
  ) -> Outcome {
    var random = SplitMix64(seed: seed)
    let slots =
      isFair
      ? FairAdmission.Slots(processors: 2, ofNetwork: 1, ofAll: 4)
      : FairAdmission.Slots(processors: 2, ofNetwork: 1 << 20, ofAll: 1 << 20)
    var limits = AdmissionLimits()
    // What waits is limited by the connections here.
    limits.patienceMilliseconds = 1 << 30
    var admission = FairAdmission(slots, limits: limits)
    struct Request {
      var load: Int
      var came: Double
      var left: Double
      var running: FairAdmission.Running?
    }
    var requests: [UInt64: Request] = [:]
    // Kept, since looking through all requests at each step would take most of the time.
    var runningIDs: Set<UInt64> = []
    func runs(_ requestID: UInt64, _ running: FairAdmission.Running) {
      guard requests[requestID] != nil else { return }
      requests[requestID]?.running = running
      runningIDs.insert(requestID)
    }
    var due: [(Double, Int)] = []
    for (index, load) in loads.enumerated() {
      for _ in 0..<load.connections { due.append((random.share() * 0.05, index)) }
    }
    var outcome = Outcome()
    var number: UInt64 = 0
    let step = 0.000_25
    var now = 0.0
    while now < seconds {
      now += step
      let coming = due.isEmpty ? [] : due.filter { $0.0 <= now }
      if !coming.isEmpty { due.removeAll { $0.0 <= now } }
      for (_, index) in coming {
        number += 1
        let load = loads[index]
        let cost = load.cost * (0.5 + random.share())
        requests[number] = Request(load: index, came: now, left: cost, running: nil)
        let (decision, calls) = admission.arrive(number, load.network, cost: load.cost, now: now)
        if case .run(let running) = decision { runs(number, running) }
        for call in calls { runs(call.requestID, call.request) }
      }
      let running = runningIDs.sorted()
      let speed = min(1, 2 / Double(max(1, running.count)))
      for requestID in running {
        guard var request = requests[requestID], let turn = request.running else { continue }
        let load = loads[request.load]
        let done = min(request.left, step * 1_000 * speed)
        outcome.work[load.network, default: 0] += done
        request.left -= done
        requests[requestID] = request
        guard request.left <= 1e-9 else { continue }
        requests[requestID] = nil
        runningIDs.remove(requestID)
        // Until a second network has asked, all that the first one sends runs.
        if request.came > 0.5 {
          outcome.latencies[load.network, default: []].append(now - request.came)
        }
        for call in admission.end(turn, now: now).calls { runs(call.requestID, call.request) }
        due.append((now + load.pause * random.share() * 2, request.load))
      }
    }
    return outcome
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `sixty-four connections of one network do not double another's latency`(seed: UInt64) {
    let calm = Load(network: other, connections: 1, cost: 4, pause: 0.02)
    let hostile = Load(network: one, connections: 64, cost: 20)
    let alone = simulate([calm], seconds: 4, seed: seed).p99(other)
    let together = simulate([calm, hostile], seconds: 4, seed: seed).p99(other)
    let unfair = simulate([calm, hostile], seconds: 4, seed: seed, isFair: false).p99(other)
    #expect(together < 2 * alone)
    #expect(unfair > 10 * alone)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `networks that ask for more than there is get the same work, whatever a request costs`(
    seed: UInt64
  ) throws {
    let loads = (1...8 as ClosedRange<UInt8>).map { number in
      Load(
        network: ClientNetwork(address: [10, 2, 0, number]),
        connections: Int(number) * 2,
        cost: Double(number) * 3
      )
    }
    let work = simulate(loads, seconds: 8, seed: seed).work.values.sorted()
    #expect(work.count == 8)
    let (least, most) = (try #require(work.first), try #require(work.last))
    #expect(most < 1.15 * least)
    // Nothing of two processors is left idle.
    let whole: Double = 2 * 8_000
    let done = work.reduce(0, +)
    #expect(done > 0.97 * whole)
  }

  @Test func `one that asks little among many is answered soon`() {
    let crowd = (1...20 as ClosedRange<UInt8>).map { number in
      Load(network: ClientNetwork(address: [10, 3, 0, number]), connections: 8, cost: 10)
    }
    // A tenth of its share of the work.
    let calm = Load(network: other, connections: 1, cost: 1, pause: 0.1)
    let fair = simulate(crowd + [calm], seconds: 8, seed: 1)
    let unfair = simulate(crowd + [calm], seconds: 8, seed: 1, isFair: false)
    // Those that run share two processors with it, and it may wait for one of them to end.
    #expect(fair.p99(other) < 0.05)
    #expect(unfair.p99(other) > 2 * fair.p99(other))
  }

  @Test func `a client with many networks of IPv6 has the share of a few`() {
    let attackers = (0..<60 as Range<UInt8>).map { number in
      let address: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, number] + Array(repeating: 0, count: 8)
      return Load(network: ClientNetwork(address: address), connections: 2, cost: 10)
    }
    let busy = Load(network: other, connections: 8, cost: 10)
    let work = simulate(attackers + [busy], seconds: 4, seed: 1).work
    let all = work.values.reduce(0, +)
    // A fifth, as one of the site's four shares and its own would be, and not one of sixty-one.
    #expect((work[other] ?? 0) > 0.15 * all)
  }
}
