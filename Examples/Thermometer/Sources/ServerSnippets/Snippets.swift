import Foundation
import FreshnessServer
import Hummingbird

// The code of Documentation/server.md, word for word: what is shown compiles (Scripts/check-documentation).

struct Climate: Codable, Sendable {
  var celsius: Double
}

func value(_ router: Router<BasicRequestContext>) throws -> ServedValue<Climate> {
  let room = try ServedValue(Climate(celsius: 21.5))
  router.serve(room, at: "climate")
  return room
}

func publish(_ room: ServedValue<Climate>) throws {
  try room.publish(Climate(celsius: 21.7), expecting: .seconds(10), spread: .seconds(2))
}

func writes(_ router: Router<BasicRequestContext>, _ room: ServedValue<Climate>) {
  var options = ServingOptions()
  options.requiresConditions = true
  router.acceptWrites(to: room, at: "climate", options: options)
}

func shared(
  _ router: Router<BasicRequestContext>,
  _ room: ServedValue<Climate>,
  _ rooms: [String: ServedValue<Climate>]
) {
  var limits = ServingLimits()
  limits.waiters = 5_000
  let serving = ResourceServing(limits: limits)
  router.serve(room, at: "climate", with: serving)
  router.serve(at: "rooms/:room", with: serving) { _, context in
    guard let room = rooms[try context.parameters.require("room")] else {
      throw HTTPError(.notFound)
    }
    return room
  }
  router.serveMetrics(of: serving, at: "metrics")
}

func replica(_ newest: Climate, _ number: Int64) throws {
  let room = try ServedValue<Climate>(epoch: "2026-11")
  try room.publish(newest, number: number)
}

/// Lines that are only added; a stream sends the new ones.
actor Journal: ServedResource {
  private var log = ChangeLog<String>(epoch: UUID().uuidString, most: 100)
  private var lines: [String] = []
  private let broadcaster = UpdateBroadcaster()

  nonisolated var hasChanges: Bool { true }

  func add(_ line: String) {
    lines.append(line)
    log.append(line)
    broadcaster.send()
  }

  func state() -> RepresentationState? { RepresentationState(version: log.newest) }

  func representation() throws -> Representation? {
    let body = Array(try JSONEncoder().encode(lines))
    return Representation(state: RepresentationState(version: log.newest), body: body)
  }

  nonisolated func updates() -> AsyncStream<Void> { broadcaster.updates() }

  func changes(since number: EventNumber, atMost most: Int) -> [ResourceChange]? {
    guard let added = log.changes(since: number), added.count <= most else { return nil }
    return zip((number.number + 1)..., added).map { count, line in
      ResourceChange(version: EventNumber(count, epoch: number.epoch), data: line)
    }
  }
}
