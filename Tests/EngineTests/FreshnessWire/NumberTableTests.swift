import Foundation
import Freshness
import Testing

@testable import FreshnessWire

/// The published table, `Tests/EngineWasm/numbers.json`, against the code.
///
/// Numbers are permanent: any change of that file except a new name at the end of a list breaks
/// every deployed host.
@Suite("Published numbers")
struct NumberTableTests {
  private struct Table: Decodable {
    var wireVersion: Int32
    var none: String
    var limit: Int64
    var longestMessage: Int
    var errors: [String]
    var numbers: [String: [String]]
    var bits: [String: [String]]
    var refreshRequests: [String: NamedRequest]
  }

  private struct NamedRequest: Decodable {
    var reason: String
    var isForced: Bool
    var isUnconditional: Bool
    var showsLoading: Bool
  }

  private let table: Table

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../EngineWasm/numbers.json")
    table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: file))
  }

  private func check<Case: WireNumbered>(_ name: String, _: Case.Type) throws {
    let names = try #require(table.numbers[name])
    for (number, name) in zip(Int64(1)..., names) {
      let value = try #require(Case(wireNumber: number), "\(name)")
      #expect(String(describing: value) == name)
      #expect(value.wireNumber == number)
    }
    let strangers: [Int64] = [.min, -1, 0, Int64(names.count) + 1, 257, .max]
    for number in strangers { #expect(Case(wireNumber: number) == nil) }
  }

  @Test
  func `Every number stands for the case it was published with`() throws {
    try check("event", EventKind.self)
    try check("originEvent", OriginEventKind.self)
    try check("provenance", Provenance.self)
    try check("outcome", OutcomeKind.self)
    try check("retryHint", RetryHintKind.self)
    try check("failure", FailureKind.self)
    try check("jitter", JitterKind.self)
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
    try check("link", PushCommand.self)
    try check("priority", Request.Priority.self)
    try check("verdict", DowngradeProtection.Verdict.self)
    try check("badge", FreshnessLabel.Badge.self)
    try check("notice", FreshnessLabel.Notice.self)
    try check("nextCause", NextRequest.Cause.self)
    #expect(table.numbers.count == 24)
  }

  @Test
  func `Every bit stands for the change or note it was published with`() {
    let changes: [Effects.Changes] = [.snapshot, .failure, .loading, .label]
    #expect(table.bits["changes"] == ["snapshot", "failure", "loading", "label"])
    #expect(changes.map(\.rawValue) == [1, 2, 4, 8])
    let notes: [Notes] = [
      .coalesced, .superseded, .held, .retried, .rescued, .drifted, .timedOut, .prefetchDropped,
      .deferred, .linkLost, .overtaken,
    ]
    #expect(
      table.bits["notes"] == [
        "coalesced", "superseded", "held", "retried", "rescued", "drifted", "timedOut",
        "prefetchDropped", "deferred", "linkLost", "overtaken",
      ]
    )
    #expect(notes.map(\.rawValue) == (0..<11).map { UInt16(1) << $0 })
  }

  @Test
  func `Errors and limits are those that were published`() {
    #expect(table.wireVersion == Wire.version)
    #expect(table.none == String(Wire.none))
    #expect(table.limit == Wire.limit)
    #expect(table.longestMessage == Wire.longestMessage)
    #expect(WireError.Code.allCases.map { String(describing: $0) } == table.errors)
    #expect(WireError.Code.allCases.map(\.rawValue) == Array(1...Int32(table.errors.count)))
  }

  @Test
  func `The named requests are those of the machine`() {
    let requests: [String: RefreshRequest] = [
      "person": .person, "hardRefresh": .hardRefresh, "schedule": .schedule, "change": .change,
    ]
    #expect(Set(requests.keys) == Set(table.refreshRequests.keys))
    for (name, request) in requests {
      #expect(table.refreshRequests[name]?.reason == String(describing: request.reason))
      #expect(table.refreshRequests[name]?.isForced == request.isForced)
      #expect(table.refreshRequests[name]?.isUnconditional == request.isUnconditional)
      #expect(table.refreshRequests[name]?.showsLoading == request.showsLoading)
    }
  }
}
