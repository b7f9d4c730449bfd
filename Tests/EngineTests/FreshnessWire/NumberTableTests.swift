import Foundation
import Freshness
import Testing

@testable import FreshnessWire

/// The table of the wire form, `Sources/Engine/FreshnessWire/wire.json`, against the code.
///
/// Numbers are permanent: any change of the table except a new name at the end of a list breaks
/// every deployed host. `Tests/EngineWasm/codec.mjs` knows those that were published.
@Suite("Published numbers")
struct NumberTableTests {
  private struct Table: Decodable {
    var version: Int32
    var errors: [String: String]
    var types: [String: String]
    var enumerations: [String: [String]]
    var sets: [String: [String]]
    var refreshRequests: [String: NamedRequest]
  }

  private struct NamedRequest: Decodable, Equatable {
    var reason: String
    var flags: [Bool]

    init(_ request: RefreshRequest) {
      reason = String(describing: request.reason)
      flags = [request.isForced, request.isUnconditional, request.showsLoading]
    }

    init(from decoder: any Decoder) throws {
      var members = try decoder.unkeyedContainer()
      reason = try members.decode(String.self)
      flags = []
      while !members.isAtEnd { flags.append(try members.decode(Bool.self)) }
    }
  }

  private let table: Table

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Engine/FreshnessWire/wire.json")
    table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: file))
  }

  private func check<Case: WireNumbered>(_ name: String, _: Case.Type) throws {
    let names = try #require(table.enumerations[name])
    for (number, name) in zip(Int64(1)..., names) {
      let value = try #require(Case(wireNumber: number), "\(name)")
      #expect(String(describing: value) == name)
      #expect(value.wireNumber == number)
    }
    // Nested types without the types around them.
    let type = try #require(table.types[name]?.split(separator: ".").last)
    #expect(String(describing: Case.self) == type)
    let strangers: [Int64] = [.min, -1, 0, Int64(names.count) + 1, 257, .max]
    for number in strangers { #expect(Case(wireNumber: number) == nil) }
  }

  @Test
  func `Every number stands for the case it was published with`() throws {
    try check("originEvent", OriginEventKind.self)
    try check("provenance", Provenance.self)
    try check("failure", FailureKind.self)
    try check("marker", MarkerKind.self)
    try check("wording", WordingKind.self)
    try check("preset", WirePreset.self)
    try check("lifecycle", Lifecycle.self)
    try check("connectivity", Connectivity.self)
    try check("activity", Activity.self)
    try check("pace", Pace.self)
    try check("refreshReason", RefreshRequest.Reason.self)
    try check("mode", ResponseMode.self)
    try check("status", RealtimeStatus.self)
    try check("snapshot", Effects.SnapshotOrder.self)
    try check("stream", PushCommand.self)
    try check("priority", Request.Priority.self)
    try check("verdict", DowngradeProtection.Verdict.self)
    try check("badge", FreshnessLabel.Badge.self)
    try check("notice", FreshnessLabel.Notice.self)
    try check("nextCause", NextRequest.Cause.self)
    #expect(table.enumerations.count == 20)
  }

  private func check<Members: WireBits>(_ name: String, _ members: [Members]) throws
  where Members.Element == Members {
    let names = try #require(table.sets[name])
    try #require(names.count == members.count)
    for (bit, member) in members.enumerated() { #expect(member.wireBits == 1 << bit) }
    #expect(Members(members).wireBits == 1 << members.count - 1)
    #expect(Members().wireBits == 0)
  }

  @Test
  func `Every bit stands for the change or note it was published with`() throws {
    let changes: [Effects.Changes] = [.snapshot, .failure, .loading, .label]
    #expect(table.sets["changes"] == ["snapshot", "failure", "loading", "label"])
    try check("changes", changes)
    let notes: [Notes] = [
      .coalesced, .superseded, .kept, .retried, .rescued, .drifted, .timedOut, .prefetchDropped,
      .deferred, .streamLost, .overtaken,
    ]
    #expect(
      table.sets["notes"] == [
        "coalesced", "superseded", "kept", "retried", "rescued", "drifted", "timedOut",
        "prefetchDropped", "deferred", "streamLost", "overtaken",
      ]
    )
    try check("notes", notes)
    #expect(table.sets.count == 2)
  }

  @Test
  func `Errors are those of the table, and have the numbers from 1`() {
    #expect(table.version == Wire.version)
    #expect(Set(WireError.Code.allCases.map { String(describing: $0) }) == Set(table.errors.keys))
    #expect(WireError.Code.allCases.map(\.rawValue) == Array(1...Int32(table.errors.count)))
  }

  @Test
  func `The named requests are those of the machine`() {
    let requests: [String: RefreshRequest] = [
      "person": .person, "hardRefresh": .hardRefresh, "schedule": .schedule, "change": .change,
    ]
    #expect(requests.mapValues { NamedRequest($0) } == table.refreshRequests)
  }
}
