import StrictJSON
import Testing

@testable import Jobs

@Suite struct `Vectors of following a job` {
  static let document = try? FollowVectors()

  @Test func `there are vectors`() {
    let vectors = Self.document?.vectors ?? []
    #expect(vectors.count >= 50)
    #expect(Set(vectors.map(\.id)).count == vectors.count)
  }

  @Test(arguments: document?.vectors ?? [])
  func `the machine answers as the vectors say`(_ vector: FollowVectors.Vector) throws {
    var machine = try FollowVectors.machine(vector.begin)
    for (index, step) in vector.steps.enumerated() {
      let orders = machine.handle(step.event, now: step.at, random: step.random)
      #expect(FollowVectors.written(orders) == step.orders, "step \(index + 1)")
      let status = FollowVectors.written(machine.status)
      for (name, expected) in step.status {
        #expect(status[name] == expected, "step \(index + 1), \(name)")
      }
    }
  }

  /// The WebAssembly build gives the same (`Tests/JobsWasm/random-run.mjs`).
  @Test func `events at random lead to the same orders in every build`() throws {
    let runs = try #require(Self.document?.random)
    var log = RandomLog()
    for seed in 1...runs.seeds {
      log.run(FollowMachine(tokenExpiry: 100_000), seed: UInt32(seed), most: runs.mostEvents)
    }
    #expect(log.events == runs.events)
    #expect(log.hash == UInt32(runs.hash, radix: 16))
  }
}

/// The events of all runs, and the FNV-1a hash of what came of them.
private struct RandomLog {
  private(set) var events: Int64 = 0
  private(set) var hash: UInt32 = 0x811c_9dc5

  mutating func run(_ begun: FollowMachine, seed: UInt32, most: Int64) {
    var machine = begun
    var generator = SampleSource(seed)
    var now: Int64 = 0
    var last = 0
    for _ in 0..<most where !machine.isOver {
      now += generator.below(5) == 0 ? generator.below(70_000) : generator.below(500)
      let event = generator.event(last: last, now: now)
      let orders = machine.handle(event, now: now, random: UInt64(generator.next()))
      for order in orders {
        switch order {
        case .connect(_, _, let attempt), .poll(_, let attempt): last = attempt
        default: break
        }
      }
      let status = machine.status
      let parts =
        orders.map(Self.line) + [
          "\(status.transport)", Self.place(status.position), status.isLive ? "live" : "not live",
        ]
      events += 1
      for byte in parts.joined(separator: ", ").utf8 {
        hash = (hash ^ UInt32(byte)) &* 0x0100_0193
      }
    }
  }

  private static func place(_ position: EventPosition?) -> String {
    position.map { "\($0.epoch).\($0.seq)" } ?? "-"
  }

  private static func line(_ order: FollowMachine.Order) -> String {
    switch order {
    case .connect(let transport, let after, let attempt):
      "connect \(transport) \(place(after)) \(attempt)"
    case .disconnect: "disconnect"
    case .poll(let after, let attempt): "poll \(place(after)) \(attempt)"
    case .refreshToken: "refreshToken"
    case .wake(let wait): "wake \(wait)"
    case .deliver(let index): "deliver \(index)"
    case .deliverEnd: "deliverEnd"
    case .finish(let ending): "finish \(ending)"
    }
  }
}

/// Reproducible random numbers: a xorshift generator of 32 bits.
private struct SampleSource {
  private var state: UInt32

  init(_ seed: UInt32) { state = seed == 0 ? 1 : seed }

  mutating func next() -> UInt32 {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state
  }

  mutating func below(_ bound: Int64) -> Int64 { Int64(next()) % bound }

  private mutating func happens(_ bound: Int64) -> Bool { below(bound) == 0 }

  private mutating func trouble() -> FollowMachine.Trouble {
    let statuses = [200, 204, 401, 403, 404, 410, 429, 503]
    let codes: [UInt16] = [1000, 1001, 1008, 1009, 1013, 4401, 4404, 4410, 4419, 4430]
    switch below(4) {
    // What ends the following is rarer than what does not.
    case 0: return .status(status: happens(6) ? statuses[Int(below(8))] : 503)
    case 1: return .closed(code: codes[Int(below(10))], isLimit: below(2) == 1)
    case 2: return .broken
    default: return .unreadable
    }
  }

  private mutating func message() -> FollowMachine.Message {
    let epoch: Int64 = happens(16) ? 2 : 1
    let seq = below(40) - 2
    var message = FollowMachine.Message(epoch: epoch, content: .other)
    message.position = happens(4) ? nil : EventPosition(epoch: epoch, seq: seq)
    message.covers = happens(2) ? nil : seq - below(4)
    message.at = happens(2) ? nil : below(1000)
    switch below(24) {
    case 0: message.content = .ended
    case 1..<4: message.content = .unreadable
    case 4..<6:
      let lastSeq = happens(3) ? nil : below(40)
      message.content = .snapshot(lastSeq: lastSeq, isRecovered: happens(3))
    case 6..<8: message.content = .token(expiresAt: happens(3) ? nil : below(200_000))
    default: break
    }
    return message
  }

  mutating func event(last: Int, now: Int64) -> FollowMachine.Event {
    let attempt = happens(8) ? Int(below(Int64(last) + 2)) : last
    switch below(16) {
    case 0: return .start
    case 1, 2: return .opened(attempt: attempt)
    case 3, 4, 5: return .received(message: message(), attempt: attempt)
    case 6: return .heard(attempt: attempt)
    case 7: return .reconnects(after: below(400_000) - 1000, attempt: attempt)
    case 8: return .ended(trouble: trouble(), attempt: attempt)
    case 9, 10:
      let count = below(4)
      let messages = (0..<count).map { _ in message() }
      return .polled(messages: messages, isOver: happens(4), attempt: attempt)
    case 11: return .unchanged(attempt: attempt)
    case 12: return .pollFailed(trouble: trouble(), attempt: attempt)
    case 13: return .tokenRefreshed(expiresAt: happens(4) ? nil : now + below(200_000))
    case 14: return .tokenNotRefreshed(trouble: trouble())
    default: return .woke
    }
  }
}
