import Foundation
import PostgresCluster
import Synchronization
import Testing

@testable import PostgresClient

extension PostgresClientLimits {
  /// For tests that share the processors with others.
  static var patient: PostgresClientLimits {
    var limits = PostgresClientLimits()
    (limits.waitSeconds, limits.connectSeconds, limits.statementSeconds) = (120, 120, 120)
    return limits
  }
}

@Suite struct `A connection to PostgreSQL` {
  private func open() async throws -> PostgresConnection {
    try await PostgresConnection.open(try PostgresAddress(PostgresCluster.uri), limits: .patient)
  }

  @Test func `values of all types return as they were sent`() async throws {
    let connection = try await open()
    let long = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for round in 0..<2 {
      let row = try #require(
        try await connection.query(
          """
          SELECT $1::bigint, $2::double precision, $3::boolean, $4::text, $5::bytea, $6::text,
            $7::bigint, $8::text[] = ARRAY['a', NULL, ''], cardinality($9::bytea[]), cardinality($10::bigint[]), 7, $11::bytea
          """,
          [
            .int(Int64.min), .double(0.1), .bool(true), .text("„é😀"), .bytes(long), .text(nil),
            .int(Int64?.none), .array(.text, [.text("a"), .null, .text("")]),
            .array(.bytes, [.bytes([0]), .bytes([])]), .array(.int, []), .bytes([]),
          ]
        ).first
      )
      #expect(try row[0] == Int64.min)
      #expect(try row[1] == 0.1)
      #expect(try row[2] == true)
      #expect(try row[3] == "„é😀")
      #expect(try row[4] == long)
      #expect(try row[5] == String?.none)
      #expect(try row[6] == Int64?.none)
      #expect(try row[7] == true)
      #expect(try row[8] == 2)
      #expect(try row[9] == 0)
      #expect(try row[10] == 7, "round \(round)")
      #expect(try row[11] == [UInt8]())
      #expect(throws: PostgresError.self) { let _: String = try row[0] }
      #expect(throws: PostgresError.self) { let _: String = try row[5] }
      #expect(throws: PostgresError.self) { let _: String = try row[12] }
    }
    await connection.close()
  }

  @Test func `an error has its state and leaves the connection usable`() async throws {
    let connection = try await open()
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT 1 / $1::bigint", [.int(0)])
    }
    #expect(error?.sqlState == "22012")
    #expect(error?.isTransient == false)
    let nul = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT $1::text", [.text("a\0b")])
    }
    #expect(nul?.sqlState == "22021")
    #expect(await connection.isUsable)
    #expect(try await connection.query("SELECT 1").count == 1)
    await connection.close()
    let closed = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT 1")
    }
    #expect(closed?.kind == .closed)
  }

  @Test func `a canceled task ends its statement on the server`() async throws {
    let (connection, watcher) = (try await open(), try await open())
    let process: Int = try #require(try await connection.query("SELECT pg_backend_pid()").first)[0]
    let task = Task { try await connection.query("SELECT pg_sleep(600)") }
    func isAsleep() async throws -> Bool {
      let rows = try await watcher.query(
        "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE '%pg_sleep%'",
        [.int(process)]
      )
      return rows.count == 1
    }
    while try await !isAsleep() { try await Task.sleep(for: .milliseconds(2)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await !connection.isUsable, "the request to cancel may still be on its way")
    while try await isAsleep() { try await Task.sleep(for: .milliseconds(2)) }
    await connection.close()
    await watcher.close()
  }

  @Test func `a statement ends at its deadline`() async throws {
    let connection = try await open()
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT pg_sleep(600)", within: 0.02)
    }
    #expect(error?.kind == .timedOut)
    #expect(error?.isTransient == true)
    await connection.close()
  }

  @Test func `a connection that the server ends fails its statement and says so once`() async throws
  {
    let (ended, ends) = AsyncStream.makeStream(of: Void.self)
    let connection = try await PostgresConnection.open(
      try PostgresAddress(PostgresCluster.uri),
      limits: .patient,
      lost: { ends.yield() }
    )
    let process: Int = try #require(try await connection.query("SELECT pg_backend_pid()").first)[0]
    let error = await #expect(throws: PostgresError.self) {
      try await connection.query("SELECT pg_terminate_backend($1::integer)", [.int(process)])
    }
    #expect(error?.isTransient == true)
    for await _ in ended { break }
    #expect(await !connection.isUsable)
    await connection.close()
  }

  @Test func `a refused connection has the code and the sentence of its reason`() {
    func error(_ text: String) throws -> PostgresError {
      PostgresError.refused(
        by: try PostgresAddress("postgres://ann:s3cret@/x?host=/run").description,
        verbose: text.split(separator: "\n")
      )
    }
    let socket = "connection to server on socket \"/run/.s.PGSQL.5432\" failed: "
    #expect(throws: Never.self) {
      let wrong = try error(
        socket
          + "FATAL:  28P01: password authentication failed for user \"ann\"\nLOCATION:  auth_failed, auth.c:326"
      )
      #expect(wrong.sqlState == "28P01")
      #expect(wrong.isDenied)
      #expect(
        wrong.message == "postgres://ann@/run/x: " + socket
          + "FATAL: password authentication failed for user \"ann\""
      )
      // A server whose messages are not in English.
      let absent = try error("FATALE:  3D000: il database non esiste")
      #expect(absent.sqlState == "3D000")
      #expect(!absent.isDenied)
      // Errors of the system have no SQLSTATE; words of five letters are not taken for one.
      let plain = try error(
        socket + "No such file or directory\nIs the server running: FATAL: not known?"
      )
      #expect(plain.sqlState == "")
      #expect(
        plain.message.hasSuffix(
          "No such file or directory; Is the server running: FATAL: not known?"
        )
      )
    }
  }

  @Test func `a server that is not there, or says nothing, is an error with its address`()
    async throws
  {
    let nowhere = try PostgresAddress("postgres://ann:s3cret@/x?host=/nonexistent")
    let absent = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.open(nowhere)
    }
    #expect(absent?.kind == .unreachable)
    #expect(absent?.message.hasPrefix("postgres://ann@/nonexistent/x: ") == true)
    #expect(absent?.message.contains("s3cret") == false)
    // Accepts connections and never answers.
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(silent, address, size) == 0, listen(silent, 8) == 0 else { return Int32(-1) }
        return getsockname(silent, address, &size)
      }
    }
    #expect(port == 0)
    var limits = PostgresClientLimits()
    limits.connectSeconds = 0.05
    let address = try PostgresAddress(
      "postgres://x@127.0.0.1:\(UInt16(bigEndian: place.sin_port))/x?sslmode=disable"
    )
    let late = await #expect(throws: PostgresError.self) {
      try await PostgresConnection.open(address, limits: limits)
    }
    #expect(late?.message.contains("no answer within 0.05 s") == true)
  }
}
