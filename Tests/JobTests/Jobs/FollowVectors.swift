import Foundation
import StrictJSON
import Testing

@testable import Jobs

/// The vectors of the machine that follows jobs, `Tests/JobsWasm/following.json`, which the WebAssembly build runs as well.
struct FollowVectors {
  struct Vector: CustomTestStringConvertible {
    var id: String
    var begin: JSONValue
    var steps: [Step]

    var testDescription: String { id }
  }

  struct Step {
    var at: Int64
    var event: FollowMachine.Event
    var random: UInt64
    var orders: JSONValue
    var status: [String: JSONValue]
  }

  /// A place of the file that is not a vector.
  struct Malformed: Error {
    var place: String
  }

  /// Many machines that are told events at random.
  struct RandomRuns {
    var seeds: Int64
    var mostEvents: Int64
    var events: Int64
    var hash: String
  }

  let vectors: [Vector]
  let random: RandomRuns

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../JobsWasm/following.json")
    let document = try JSONReader.value(of: Array(Data(contentsOf: file)))
    vectors = try Self.list(document, "vectors").map { vector in
      Vector(
        id: try Self.text(vector, "id"),
        begin: vector["begin"] ?? .object([:]),
        steps: try Self.list(vector, "steps").map(Self.step)
      )
    }
    let runs = try Self.member(document, "random")
    let gives = try Self.member(runs, "gives")
    random = RandomRuns(
      seeds: try Self.number(runs, "seeds"),
      mostEvents: try Self.number(runs, "mostEvents"),
      events: try Self.number(gives, "events"),
      hash: try Self.text(gives, "hash")
    )
  }

  // MARK: Members

  static func member(_ value: JSONValue, _ name: String) throws -> JSONValue {
    guard let member = value[name] else { throw Malformed(place: "\(name) of \(value)") }
    return member
  }

  static func list(_ value: JSONValue, _ name: String) throws -> [JSONValue] {
    guard let list = value[name]?.list else { throw Malformed(place: "\(name) of \(value)") }
    return list
  }

  static func text(_ value: JSONValue, _ name: String) throws -> String {
    guard let text = value[name]?.string else { throw Malformed(place: "\(name) of \(value)") }
    return text
  }

  static func number(_ value: JSONValue, _ name: String) throws -> Int64 {
    guard let number = value[name]?.int64 else { throw Malformed(place: "\(name) of \(value)") }
    return number
  }

  static func position(_ value: JSONValue?) throws -> EventPosition? {
    guard let value else { return nil }
    return EventPosition(epoch: try number(value, "epoch"), seq: try number(value, "seq"))
  }

  // MARK: What goes in

  static func machine(_ begin: JSONValue) throws -> FollowMachine {
    var policy = FollowMachine.Policy()
    for (name, value) in begin["policy"]?.object ?? [:] {
      guard name == "failuresBeforeFallback", let count = value.int64 else {
        throw Malformed(place: "policy.\(name)")
      }
      policy.failuresBeforeFallback = Int(count)
    }
    return FollowMachine(
      policy: policy,
      after: try position(begin["after"]),
      tokenExpiry: begin["tokenExpiry"]?.int64,
      transport: try transport(begin["transport"]?.string ?? "webSocket")
    )
  }

  private static func transport(_ name: String) throws -> FollowMachine.Transport {
    guard let found = FollowMachine.Transport.allCases.first(where: { "\($0)" == name }) else {
      throw Malformed(place: "transport \(name)")
    }
    return found
  }

  private static func step(_ value: JSONValue) throws -> Step {
    Step(
      at: try number(value, "at"),
      event: try event(try member(value, "event")),
      random: UInt64(value["random"]?.int64 ?? 0),
      orders: try member(value, "orders"),
      status: value["status"]?.object ?? [:]
    )
  }

  private static func event(_ value: JSONValue) throws -> FollowMachine.Event {
    func attempt() throws -> Int { Int(try number(value, "attempt")) }
    switch try text(value, "event") {
    case "start": return .start
    case "woke": return .woke
    case "opened": return .opened(attempt: try attempt())
    case "heard": return .heard(attempt: try attempt())
    case "unchanged": return .unchanged(attempt: try attempt())
    case "received":
      return .received(
        message: try message(try member(value, "message")),
        attempt: try attempt()
      )
    case "reconnects":
      return .reconnects(after: try number(value, "after"), attempt: try attempt())
    case "ended": return .ended(trouble: try trouble(value), attempt: try attempt())
    case "pollFailed": return .pollFailed(trouble: try trouble(value), attempt: try attempt())
    case "polled":
      return .polled(
        messages: try list(value, "messages").map(message),
        isOver: value["isOver"] == .bool(true),
        attempt: try attempt()
      )
    case "tokenRefreshed": return .tokenRefreshed(expiresAt: value["expiresAt"]?.int64)
    case "tokenNotRefreshed": return .tokenNotRefreshed(trouble: try trouble(value))
    case let other: throw Malformed(place: "event \(other)")
    }
  }

  private static func message(_ value: JSONValue) throws -> FollowMachine.Message {
    FollowMachine.Message(
      position: try position(value["position"]),
      epoch: value["epoch"]?.int64,
      covers: value["covers"]?.int64,
      at: value["at"]?.int64,
      content: try content(try member(value, "content"))
    )
  }

  private static func content(_ value: JSONValue) throws -> FollowMachine.Message.Content {
    switch value.string ?? value["content"]?.string {
    case "other": .other
    case "unreadable": .unreadable
    case "ended": .ended
    case "token": .token(expiresAt: value["expiresAt"]?.int64)
    case "snapshot":
      .snapshot(lastSeq: value["lastSeq"]?.int64, isRecovered: value["isRecovered"] == .bool(true))
    default: throw Malformed(place: "content \(value)")
    }
  }

  private static func trouble(_ event: JSONValue) throws -> FollowMachine.Trouble {
    let value = try member(event, "trouble")
    switch value.string ?? value["trouble"]?.string {
    case "broken": return .broken
    case "unreadable": return .unreadable
    case "status": return .status(status: Int(try number(value, "status")))
    case "closed":
      return .closed(
        code: UInt16(try number(value, "code")),
        isLimit: value["isLimit"] == .bool(true)
      )
    default: throw Malformed(place: "trouble \(value)")
    }
  }

  // MARK: What comes out

  static func written(_ orders: [FollowMachine.Order]) -> JSONValue {
    .list(orders.map(written))
  }

  private static func written(_ order: FollowMachine.Order) -> JSONValue {
    switch order {
    case .connect(let transport, let after, let attempt):
      named("connect", ["transport": .string("\(transport)"), "attempt": number(attempt)], after)
    case .disconnect: named("disconnect")
    case .poll(let after, let attempt): named("poll", ["attempt": number(attempt)], after)
    case .refreshToken: named("refreshToken")
    case .wake(let wait): named("wake", ["after": .whole(wait)])
    case .deliver(let index): named("deliver", ["index": number(index)])
    case .deliverEnd: named("deliverEnd")
    case .finish(let ending): named("finish", ["ending": .string("\(ending)")])
    }
  }

  private static func number(_ value: Int) -> JSONValue { .whole(Int64(value)) }

  private static func named(
    _ order: String,
    _ members: [String: JSONValue] = [:],
    _ after: EventPosition? = nil
  ) -> JSONValue {
    var members = members
    members["order"] = .string(order)
    members["after"] = members["after"] ?? after.map(written)
    return .object(members)
  }

  private static func written(_ position: EventPosition) -> JSONValue {
    .object(["epoch": .whole(position.epoch), "seq": .whole(position.seq)])
  }

  static func written(_ status: FollowMachine.Status) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "transport": .string("\(status.transport)"), "isLive": .bool(status.isLive),
      "isOver": .bool(status.isOver),
    ]
    members["position"] = status.position.map(written)
    return members
  }
}
