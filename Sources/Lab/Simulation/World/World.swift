import Freshness
import Hashing

/// The environment of one machine: a server, a network, a device, and users.
///
/// The world delivers events in order of time and carries out the machine's effects. One seed
/// determines all its random samples.
struct World: Sendable {
  /// A response in transit.
  struct Delivery: Sendable {
    var at: Int64
    var ticket: Ticket
    var answer: Answer
  }

  let faults: FaultProfile
  let policy: Policy
  var random: SplitMix64
  var server: Server
  var now: Int64 = 0
  var context: Context
  /// The responses in transit; a few at most.
  var deliveries: [Delivery] = []
  /// When the host checks the machine for its alarm.
  var wakeAt: Int64?
  var nextActAt: Int64
  /// When the next stream event occurs.
  var streamAt: Int64?
  var isStreamOpen = false
  /// The device's wall clock minus the run's.
  var deviceClock: Int64
  /// Ticket of the newest request.
  var newest = Ticket(generation: 0, context: Context(question: 0))
  var isOut = false
  /// The long poll that the origin does not hold, before the machine is notified (R39).
  var notHeld: Ticket?
  /// The request that waits at its origin, and when it is sent (R39).
  var queued: (ticket: Ticket, until: Int64)?
  /// The maximum number of responses in transit at once.
  static let mostDeliveries = 12

  init(seed: UInt64, policy: Policy, context: Context) {
    random = SplitMix64(seed: seed)
    faults = FaultProfile(&random)
    self.policy = policy
    self.context = context
    server = Server(faults, &random)
    deviceClock = server.clock + random.between(-3_000, 3_000)
    nextActAt = random.exponential(mean: faults.pause)
  }

  // MARK: What happens next

  /// Returns the next event and its time.
  mutating func next() -> Event {
    if let ticket = notHeld {
      notHeld = nil
      return .notHeld(ticket)
    }
    var at = nextActAt
    var kind = 0
    if let wakeAt, wakeAt < at {
      at = wakeAt
      kind = 1
    }
    if let streamAt, streamAt < at {
      at = streamAt
      kind = 2
    }
    var index = -1
    for (place, delivery) in deliveries.enumerated() where delivery.at < at {
      at = delivery.at
      index = place
      kind = 3
    }
    if let queued, queued.until < at {
      at = queued.until
      kind = 4
    }
    now = max(now, at)
    server.advance(to: now, &random)
    switch kind {
    case 1:
      wakeAt = nil
      return queued.map { .queued($0.ticket) } ?? .woke
    case 2: return streamEvent()
    case 3:
      let delivery = deliveries.remove(at: index)
      if delivery.ticket == newest { isOut = false }
      return .answered(delivery.ticket, delivery.answer)
    case 4:
      guard let sent = queued else { return .woke }
      queued = nil
      return .queued(sent.ticket)
    default:
      nextActAt = now + 1 + random.exponential(mean: faults.pause)
      return act()
    }
  }

  // MARK: What the machine orders

  /// Carries out the machine's effects.
  mutating func heed(_ effects: Effects) {
    if let ticket = effects.cancel { cancel(ticket) }
    if let request = effects.request { send(request) }
    if let order = effects.stream { obey(order) }
    guard let alarm = effects.alarm?.milliseconds else {
      wakeAt = nil
      return
    }
    if faults.has(.lostAlarms), random.oneIn(60) {
      wakeAt = nil
    } else if faults.has(.lateAlarms), random.oneIn(25) {
      wakeAt = alarm + random.scale(8, 17)
    } else {
      wakeAt = alarm + (random.oneIn(4) ? random.below(30) : 0)
    }
  }

  private mutating func cancel(_ ticket: Ticket) {
    if ticket == newest { isOut = false }
    if ticket == queued?.ticket { queued = nil }
    // A canceled request may still get its response, late.
    guard !faults.has(.lateAnswers) else { return }
    deliveries.removeAll { $0.ticket == ticket }
  }

  private mutating func send(_ ordered: Request) {
    var request = ordered
    newest = request.ticket
    isOut = true
    if request.longPoll != nil, faults.has(.restraints), random.oneIn(3) {
      notHeld = request.ticket
      request = request.withoutWait
    }
    var wait: Int64 = 0
    if faults.has(.restraints), random.oneIn(6) {
      // Occasionally longer than a timeout.
      wait = random.exponential(mean: 8_000)
      queued = (request.ticket, now + wait)
    }
    if faults.has(.drops), random.oneIn(25) { return }
    let up = wait + latency()
    let served = now + up
    let answer: Answer?
    var delay = up + latency()
    if let wait = request.longPoll, request.validator == server.validator(request.ticket.context) {
      let change = server.producer.nextAt
      let until = min(change, served + wait.milliseconds)
      delay += max(until - served, 0)
      answer =
        change <= served + wait.milliseconds
        ? changed(request) : server.answer(request, at: until, &random)
    } else {
      answer = server.answer(request, at: served, &random)
    }
    guard var answer else { return }
    answer.deviceTime = random.oneIn(3) ? nil : WallTime(milliseconds: deviceClock + now + delay)
    // A host with a queue knows better than the machine when the request was sent.
    if faults.has(.restraints), random.oneIn(4) {
      let taken = random.below(delay - wait + 1)
      answer.delay = Instant.Duration(milliseconds: taken)
      // Reading a large document takes a while.
      answer.decoding = Instant.Duration(milliseconds: taken % 4 * 150)
    }
    deliver(distorted(answer), request.ticket, after: delay)
  }

  /// Returns the response to a long poll that sees the change it waits for.
  private mutating func changed(_ request: Request) -> Answer? {
    var later = server
    later.advance(to: server.producer.nextAt, &random)
    return later.answer(request, at: server.producer.nextAt, &random)
  }

  private mutating func distorted(_ answer: Answer) -> Answer {
    if faults.has(.corruption), random.oneIn(30) {
      return Answer(.undecodable(reason: Int32(random.below(4))), status: 200, bytes: 900)
    }
    if faults.has(.hostCancels), random.oneIn(25) { return Answer(.cancelled) }
    if faults.has(.drops), random.oneIn(25) { return Answer(.unreachable) }
    return answer
  }

  private mutating func deliver(_ answer: Answer, _ ticket: Ticket, after delay: Int64) {
    guard deliveries.count < Self.mostDeliveries else { return }
    var ticket = ticket
    if faults.has(.foreignAnswers), random.oneIn(30) {
      ticket.context.question = (ticket.context.question + 1) % 4
    }
    deliveries.append(Delivery(at: now + delay, ticket: ticket, answer: answer))
    if faults.has(.duplicates), random.oneIn(12), deliveries.count < Self.mostDeliveries {
      let again = now + delay + random.scale(2, 14)
      deliveries.append(Delivery(at: again, ticket: ticket, answer: answer))
    }
  }

  private mutating func latency() -> Int64 {
    let usual = faults.roundTrip / 2 + random.exponential(mean: faults.roundTrip / 4)
    guard faults.has(.delays), random.oneIn(10) else { return usual }
    return usual + random.scale(9, 15)
  }
}
