import PostgresSharing
import Testing

/// A lease, as a value.
struct LeaseTests {
  private typealias Row = Lease.Row
  private static let limits = LeaseLimits()

  /// A lease, its clock, and the statement it waits for.
  private struct Stage {
    var lease = Lease(limits, at: .zero)
    var now = Duration.zero
    var number = 0
    var statement: Lease.Statement?

    /// Passes an event, and notes what is sent.
    mutating func handle(_ event: Lease.Event, sample: Double = 0) -> [Lease.Effect] {
      var others: [Lease.Effect] = []
      for effect in lease.handle(event, at: now, sample: sample) {
        if case .send(let number, let statement) = effect {
          (self.number, self.statement) = (number, statement)
        } else {
          others.append(effect)
        }
      }
      return others
    }

    mutating func wait(_ time: Duration) -> [Lease.Effect] {
      now += time
      return handle(.woke)
    }

    mutating func answer(
      _ fence: Int64,
      _ beat: Int64,
      _ owner: Lease.Owner,
      counted: Bool = false
    ) -> [Lease.Effect] {
      statement = nil
      let row = Row(fence: fence, beat: beat, owner: owner)
      return handle(.answered(number: number, row, hasCounted: counted))
    }

    /// A stage on which this server leads under the fence 8 since 20 ms.
    static var leading: Stage {
      var stage = Stage()
      _ = stage.handle(.woke)
      stage.now = .milliseconds(10)
      _ = stage.answer(7, 70, .nobody)
      stage.now = .milliseconds(20)
      _ = stage.answer(8, 71, .thisServer, counted: true)
      return stage
    }
  }

  @Test("A lease without an owner is taken at once, and counts from when the statement was sent")
  func acquiresFreeLease() {
    var stage = Stage()
    #expect(stage.handle(.woke) == [] && stage.statement == .observe)
    stage.now = .milliseconds(10)
    #expect(stage.answer(7, 70, .nobody) == [])
    #expect(stage.statement == .acquire(fence: 7, beat: 70))
    #expect(stage.lease.fence(at: stage.now) == nil)
    stage.now = .milliseconds(900)
    #expect(stage.answer(8, 71, .thisServer, counted: true) == [.lead(fence: 8)])
    let end = Duration.milliseconds(10) + Self.limits.duration - Self.limits.margin
    #expect(stage.lease.fence(at: end - .milliseconds(1)) == 8)
    #expect(stage.lease.fence(at: end) == nil)
  }

  @Test("The lease of another server is taken only after it was seen unchanged for a whole lease")
  func waitsForSilence() {
    var stage = Stage()
    _ = stage.handle(.woke)
    _ = stage.answer(7, 70, .another)
    // It is renewed once.
    _ = stage.wait(Self.limits.watchEvery)
    #expect(stage.statement == .observe)
    _ = stage.answer(7, 71, .another)
    let seen = stage.now
    while stage.now < seen + Self.limits.duration - Self.limits.watchEvery {
      _ = stage.wait(Self.limits.watchEvery)
      #expect(stage.statement == .observe)
      #expect(stage.answer(7, 71, .another) == [])
    }
    stage.now = seen + Self.limits.duration
    _ = stage.handle(.woke)
    #expect(stage.statement == .acquire(fence: 7, beat: 71))
    // Another follower was faster.
    #expect(stage.answer(8, 72, .another) == [])
    #expect(stage.lease.role == .following)
  }

  @Test("A leader renews, and stops by its own clock when no renewal is answered")
  func stopsWithoutAnswer() {
    var stage = Stage.leading
    #expect(stage.wait(Self.limits.renewEvery) == [])
    #expect(stage.statement == .renew(fence: 8))
    #expect(stage.answer(8, 72, .thisServer, counted: true) == [])
    _ = stage.wait(Self.limits.renewEvery)
    #expect(stage.handle(.failed(number: stage.number)) == [])
    #expect(stage.lease.owner == nil)
    var stopped: Duration?
    while stage.now < .seconds(10) {
      stage.now = stage.lease.wakesAt
      let effects = stage.handle(.woke)
      if effects == [.stop] {
        #expect(stopped == nil)
        stopped = stage.now
      }
      _ = stage.handle(.failed(number: stage.number))
    }
    // The last renewal that was answered had been sent at 20 + 750 ms.
    #expect(stopped == .milliseconds(770) + Self.limits.duration - Self.limits.margin)
  }

  @Test("An answer that comes later than the lease lasts makes no leader")
  func refusesLateAnswer() {
    var stage = Stage()
    _ = stage.handle(.woke)
    _ = stage.answer(7, 70, .nobody)
    stage.now = Self.limits.duration
    // The machine had given the statement up, and asks again.
    #expect(stage.answer(8, 71, .thisServer, counted: true) == [])
    #expect(stage.lease.fence(at: stage.now) == nil)
  }

  @Test("A lease granted to a statement whose answer was lost is renewed before it is used")
  func confirmsLostGrant() {
    var stage = Stage()
    _ = stage.handle(.woke)
    _ = stage.answer(7, 70, .nobody)
    _ = stage.handle(.failed(number: stage.number))
    stage.now = stage.lease.wakesAt
    _ = stage.handle(.woke)
    #expect(stage.statement == .acquire(fence: 7, beat: 70))
    // The first attempt had been carried out: the second one changes nothing.
    #expect(stage.answer(8, 71, .thisServer) == [])
    #expect(stage.statement == .renew(fence: 8))
    #expect(stage.answer(8, 72, .thisServer, counted: true) == [.lead(fence: 8)])
  }

  @Test("A leader that another server has replaced stops")
  func stopsWhenReplaced() {
    var stage = Stage.leading
    _ = stage.wait(Self.limits.renewEvery)
    #expect(stage.answer(9, 72, .another) == [.stop])
    #expect(stage.lease.fence(at: stage.now) == nil && stage.lease.owner == .another)
  }

  @Test("A server that ends gives its lease back, and one that is granted too late as well")
  func givesBack() {
    var stage = Stage.leading
    #expect(stage.handle(.ended) == [.stop, .release(fence: 8)])
    #expect(stage.handle(.woke) == [])
    var late = Stage()
    _ = late.handle(.woke)
    _ = late.answer(7, 70, .nobody)
    #expect(late.handle(.ended) == [])
    #expect(late.answer(8, 71, .thisServer, counted: true) == [.release(fence: 8)])
  }

  @Test("When a lease is given back, followers look at once, each a little later by chance")
  func hurriesWhenFree() {
    var stage = Stage()
    _ = stage.handle(.woke)
    _ = stage.answer(7, 70, .another)
    #expect(stage.handle(.freed, sample: 0.5) == [])
    #expect(stage.lease.wakesAt == Self.limits.freeSpread * 0.5)
    stage.now = stage.lease.wakesAt
    _ = stage.handle(.woke)
    #expect(stage.statement == .observe)
  }

  @Test("An answer to a statement that was given up changes nothing")
  func ignoresOldAnswers() {
    var stage = Stage.leading
    _ = stage.wait(Self.limits.renewEvery)
    let old = stage.number
    _ = stage.wait(Self.limits.answerWithin)
    let row = Row(fence: 8, beat: 72, owner: .thisServer)
    let before = stage.lease
    #expect(stage.handle(.answered(number: old, row, hasCounted: true)) == [])
    #expect(stage.lease == before)
  }

  @Test("The limits keep the promise of five seconds, with two statements that take a fifth of one")
  func limitsFit() {
    let limits = Self.limits
    let longest = limits.watchEvery + limits.duration + limits.acquireSpread + .milliseconds(400)
    #expect(longest <= .seconds(5))
    #expect(limits.renewEvery * 3 < limits.duration - limits.margin)
    #expect(limits.answerWithin < limits.duration - limits.margin)
  }

  @Test("Another owner counts as alive once its row has changed, and not before")
  func seesRenewals() {
    var stage = Stage()
    _ = stage.handle(.woke)
    _ = stage.answer(7, 70, .another)
    #expect(!stage.lease.hasSeenRenewal)
    _ = stage.wait(Self.limits.watchEvery)
    _ = stage.answer(7, 70, .another)
    #expect(!stage.lease.hasSeenRenewal)
    _ = stage.wait(Self.limits.watchEvery)
    _ = stage.answer(7, 71, .another)
    #expect(stage.lease.hasSeenRenewal)
  }
}
