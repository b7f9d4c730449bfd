import HTTPTypes
import PostgresClient
import PostgresCluster
import PostgresSharing
import Synchronization
import Testing

@testable import StationboardServer

/// Leases and publications in a real PostgreSQL database.
struct PublicationStoreTests {
  private static let stages = Atomic(0)

  /// A schema of its own, and servers that share it.
  private struct Stage {
    let schema: String

    init(grantingTo roles: Set<String> = []) async throws {
      schema = "sharing\(stages.add(1, ordering: .relaxed).newValue)"
      let connection = try await PostgresCluster.connectAsOwner()
      _ = try await PostgresSchema.realtime(name: schema).migrate(connection, grantingTo: roles)
      await connection.close()
    }

    func server(_ name: String, as role: String = "freshet") throws -> PostgresPublications {
      var limits = LeadershipLimits()
      // Many tests share one database, and the processors with others.
      limits.lease.answerWithin = .seconds(60)
      limits.publishWithin = .seconds(60)
      limits.lease.duration = .seconds(60)
      return PostgresPublications(
        try PostgresAddress(PostgresCluster.uri(as: role)),
        limits: limits,
        name: name,
        schema: schema
      )
    }
  }

  private static func publication(_ content: String, id: Int64) -> SharedPublication {
    SharedPublication(
      id: id,
      fetchedAt: 1_792_477_805.25,
      absentAt: 1_792_477_790.5,
      contentType: "application/x-protobuf",
      content: Array(content.utf8)
    )
  }

  @Test("One of two servers gets a lease, and only its owner renews it or gives it back")
  func leases() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.server("one"), try stage.server("two"))
    #expect(try await one.send(.observe, of: "a", SourceReport()) == nil)
    try await one.add("a", title: "https://example.org/a.pb")
    try await two.add("a", title: "https://example.org/a.pb")
    let free = try #require(try await one.send(.observe, of: "a", SourceReport()))
    #expect(free.lease.row == Lease.Row(fence: 0, beat: 0, owner: .nobody))
    let mine = try #require(
      try await one.send(.acquire(fence: 0, beat: 0), of: "a", SourceReport())
    )
    #expect(
      mine.lease.hasCounted && mine.lease.row == Lease.Row(fence: 1, beat: 1, owner: .thisServer)
    )
    // A repetition finds what it did, and says that it changed nothing.
    let again = try #require(
      try await one.send(.acquire(fence: 0, beat: 0), of: "a", SourceReport())
    )
    #expect(!again.lease.hasCounted && again.lease.row == mine.lease.row)
    let report = SourceReport(polledAt: 5, answeredAt: 4, failure: "late", isOfContent: true)
    let renewed = try #require(try await one.send(.renew(fence: 1), of: "a", report))
    #expect(renewed.lease.hasCounted && renewed.lease.row.beat == 2)
    let refused = try #require(
      try await two.send(.acquire(fence: 1, beat: 1), of: "a", SourceReport())
    )
    #expect(!refused.lease.hasCounted)
    #expect(refused.lease.row == Lease.Row(fence: 1, beat: 2, owner: .another))
    #expect(refused.ownerName == "one" && refused.report == report)
    #expect(
      try await two.send(.renew(fence: 1), of: "a", SourceReport())?.lease.hasCounted == false
    )
    try await two.release("a", fence: 1)
    #expect(try await one.send(.observe, of: "a", SourceReport())?.lease.row.owner == .thisServer)
    try await one.release("a", fence: 1)
    #expect(try await two.send(.observe, of: "a", SourceReport())?.lease.row.owner == .nobody)
  }

  @Test("A server that lost its lease publishes nothing more, and what is stored stays in order")
  func fences() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.server("one"), try stage.server("two"))
    try await one.add("a", title: "a")
    _ = try await one.send(.acquire(fence: 0, beat: 0), of: "a", SourceReport())
    let first = Self.publication("first", id: 11)
    #expect(try await one.publish(first, of: "a", fence: 1) == 1)
    _ = try await two.send(.acquire(fence: 1, beat: 1), of: "a", SourceReport())
    await #expect(throws: PostgresPublications.Fenced.self) {
      try await one.publish(Self.publication("late", id: 12), of: "a", fence: 1)
    }
    await #expect(throws: PostgresPublications.Fenced.self) {
      try await one.publish(Self.publication("late", id: 12), of: "a", fence: 2)
    }
    #expect(try await two.publish(Self.publication("second", id: 13), of: "a", fence: 2) == 2)
    // The answer to the first statement was lost: nothing is stored twice, even after another server took the lease.
    #expect(try await one.publish(first, of: "a", fence: 1) == 1)
    let (found, end) = try await one.marks(after: 0, of: ["a"])
    #expect(end == 2 && found.map(\.fence).sorted() == [1, 2])
    #expect(try await one.publication(13)?.content == Array("second".utf8))
  }

  @Test("The publications of each source are read, as they were stored, and few are kept")
  func reads() async throws {
    let stage = try await Stage()
    let server = try stage.server("one")
    for source in ["a", "b"] {
      try await server.add(source, title: source)
      _ = try await server.send(.acquire(fence: 0, beat: 0), of: source, SourceReport())
    }
    let kept = server.limits.keptPublications
    for number in 1...Int64(kept + 3) {
      _ = try await server.publish(Self.publication("a\(number)", id: number), of: "a", fence: 1)
    }
    try await server.removeOld(of: "a")
    let b = SharedPublication(id: 100, fetchedAt: 7.5, absentAt: nil, contentType: nil, content: [])
    let last = try await server.publish(b, of: "b", fence: 1)
    let (found, end) = try await server.marks(after: 0, of: ["a", "b", "c"])
    #expect(end == last && last == Int64(kept + 4))
    let marks = found.sorted { $0.position < $1.position }
    #expect(marks.map(\.source) == Array(repeating: "a", count: kept) + ["b"])
    #expect(marks.map(\.position) == Array(4...last) && marks.last?.id == 100)
    let stored = try #require(try await server.publication(Int64(kept + 3)))
    let sent = Self.publication("a\(kept + 3)", id: Int64(kept + 3))
    #expect(stored.fetchedAt == sent.fetchedAt && stored.absentAt == sent.absentAt)
    #expect(stored.contentType == sent.contentType && stored.content == sent.content)
    let empty = try #require(try await server.publication(100))
    #expect(empty.absentAt == nil && empty.contentType == nil && empty.content == [])
    #expect(try await server.publication(1) == nil, "newer ones have taken its place")
    #expect(try await server.marks(after: last, of: ["a", "b"]).found.isEmpty)
    let connection = try await PostgresCluster.connectAsOwner()
    let rows = try await connection.query(
      "SELECT count(*) FROM \(stage.schema).publication WHERE source = 'a'"
    )
    let count: Int = try #require(rows.first)[0]
    #expect(count == kept)
    await connection.close()
  }

  @Test(
    "Publications of many sources at once get positions without a gap, in the order of their commits"
  )
  func positions() async throws {
    let stage = try await Stage()
    let servers = try (0..<3).map { try stage.server("server \($0)") }
    for (number, server) in servers.enumerated() {
      try await server.add("s\(number)", title: "")
      _ = try await server.send(.acquire(fence: 0, beat: 0), of: "s\(number)", SourceReport())
    }
    let positions = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for (number, server) in servers.enumerated() {
        group.addTask {
          var own: [Int64] = []
          for turn in 0..<10 {
            let id = Int64(number * 100 + turn + 1)
            let sent = Self.publication("\(id)", id: id)
            own.append(try await server.publish(sent, of: "s\(number)", fence: 1))
            // Whatever is announced can be read.
            let end = try await server.marks(after: 0, of: []).end
            #expect(end >= own[turn])
          }
          #expect(own == own.sorted())
          return own
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(positions.sorted() == Array(1...30))
  }

  @Test("What a feed says cannot make a renewal fail")
  func texts() async throws {
    let stage = try await Stage()
    let server = try stage.server("one")
    try await server.add("a", title: "")
    _ = try await server.send(.acquire(fence: 0, beat: 0), of: "a", SourceReport())
    var report = SourceReport()
    report.failure = "a\0b" + String(repeating: "c", count: 500)
    report.refusal = "\0"
    _ = try await server.send(.renew(fence: 1), of: "a", report)
    let answer = try await server.send(.observe, of: "a", SourceReport())
    let length = server.limits.reasonLength
    #expect(answer?.report.failure == "ab" + String(repeating: "c", count: length - 2))
    #expect(answer?.report.refusal == "")
    var sent = Self.publication("a", id: 5)
    sent.contentType = "text/\0plain"
    _ = try await server.publish(sent, of: "a", fence: 1)
    #expect(try await server.publication(5)?.contentType == "text/plain")
  }

  @Test("A role that may only read and write rows has all that a server needs")
  func leastPrivilege() async throws {
    let owner = try await PostgresCluster.connectAsOwner()
    let role = "realtime_server"
    _ = try? await owner.query("CREATE ROLE \(role) LOGIN")
    await owner.close()
    let stage = try await Stage(grantingTo: [role])
    let server = try stage.server("one", as: role)
    try await server.add("a", title: "a")
    #expect(
      try await server.send(.acquire(fence: 0, beat: 0), of: "a", SourceReport())?.lease.hasCounted
        == true
    )
    #expect(try await server.publish(Self.publication("first", id: 1), of: "a", fence: 1) == 1)
    try await server.release("a", fence: 1)
  }

  @Test("A source has the same id on all servers, whatever credentials they send")
  func ids() {
    func id(_ path: String, _ kind: RealtimeSource.Kind = .alerts, key: String? = nil) -> String {
      var request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: path)
      request.headerFields[.authorization] = key
      return PostgresPublications.id(of: RealtimeSource(kind: kind, prefix: "ch", request: request))
    }
    #expect(id("/a", key: "Bearer 1") == id("/a", key: "Bearer 2"))
    #expect(Set([id("/a"), id("/b"), id("/a?x=1"), id("/a", .tripUpdates)]).count == 4)
    #expect(id("/a").count == 64)
  }

  @Test("A tag says the position of its answer, and is compared without it")
  func tags() throws {
    #expect(SharedTag.tag("\"1k2j\"", at: 195) == "\"1k2j.5f\"")
    #expect(SharedTag.tag("\"1k2j\"", at: nil) == "\"1k2j\"")
    let found = SharedTag.tags(ifNoneMatch: "\"1k2j-late.5f\", W/\"x\", \"y.\", \"z.-3\", raw.2")
    #expect(found.map(\.shared.plain) == ["\"1k2j-late\"", "\"x\"", "\"y.\"", "\"z.-3\"", "raw.2"])
    #expect(found.map(\.shared.position) == [195, nil, nil, nil, nil])
    #expect(SharedTag.tags(ifNoneMatch: "*").isEmpty)
  }
}
