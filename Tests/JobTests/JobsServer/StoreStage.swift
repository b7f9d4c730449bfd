import Foundation
import Jobs
import PostgresClient
import PostgresCluster
import Serving
import Synchronization
import Testing

@testable import JobsServer

/// The stores that pass the same tests.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  case postgres

  var testDescription: String { rawValue }
}

/// A place for the jobs of one test.
final class StoreStage: Sendable {
  private static let stages = Atomic(0)

  let kind: StoreKind
  let folder: Folder
  /// The schema of the test.
  let schema: String

  init(_ kind: StoreKind) async throws {
    self.kind = kind
    folder = try Folder()
    schema = "stage\(Self.stages.add(1, ordering: .relaxed).newValue)"
    if kind == .postgres { _ = try await migrate() }
  }

  /// The limits of connections: many tests share one server, and the processors with others.
  static var limits: PostgresClientLimits {
    var limits = PostgresClientLimits()
    limits.connections = 4
    (limits.waitSeconds, limits.connectSeconds, limits.statementSeconds) = (120, 120, 120)
    return limits
  }

  /// Opens a connection of a role, or of the owner of the tables.
  func connect(as role: String = "freshet") async throws -> PostgresConnection {
    let address = try PostgresAddress(PostgresCluster.uri(as: role))
    return try await PostgresConnection.open(address, limits: Self.limits)
  }

  var address: PostgresAddress { get throws { try PostgresAddress(PostgresCluster.uri) } }

  func migrate(grantingTo role: String? = nil) async throws -> (from: Int, to: Int) {
    let connection = try await connect()
    defer { Task { await connection.close() } }
    return try await PostgresSchema.jobs(name: schema).migrate(
      connection,
      grantingTo: Set([role].compactMap(\.self))
    )
  }

  /// Opens the store; of PostgreSQL's any number, of SQLite's one.
  func open(
    clock: ServiceClock = ServiceClock(),
    as role: String? = nil,
    _ change: (inout JobLimits) -> Void = { _ in }
  ) async throws -> any JobStore {
    var limits = JobLimits()
    change(&limits)
    switch kind {
    case .sqlite: return try SQLiteJobStore(folder: folder.path, limits: limits, clock: clock)
    case .postgres:
      var address = try address
      if let role { address = try PostgresAddress(PostgresCluster.uri(as: role)) }
      let store = try PostgresJobStore(
        address,
        folder: folder.path + "/\(UUID())",
        limits: limits,
        clientLimits: Self.limits,
        clock: clock,
        schema: schema
      )
      _ = try await store.counts()
      return store
    }
  }
}

extension StoreStage {
  /// Closes a store; the folder stays until then.
  func close(_ store: any JobStore) async { await store.close() }
}

extension JobStore {
  /// Starts a job with one file.
  func startJob(
    _ pipeline: PipelineName = .csvImport,
    _ content: String = "1",
    options: [String: String] = [:],
    key: String? = nil,
    id: String? = nil
  ) async throws -> (JobRow, token: String, isNew: Bool) {
    let input = (name: "t", mediaType: "text/csv", content: Array(content.utf8))
    let start = try await start(pipeline, inputs: [input], options: options, key: key, id: id)
    guard case .job(let job, let token, let isNew) = start else {
      throw JobStoreError.damaged("not started: \(start)")
    }
    return (job, token, isNew)
  }

  /// Starts a job and begins it.
  func runJob(_ pipeline: PipelineName = .csvImport) async throws -> JobLease {
    let lease = try #require(try await claim(try await startJob(pipeline).0.id))
    _ = try #require(try await begin(lease, phases: [JobPhase("x", weight: 1)]))
    return lease
  }

  /// Commits a step.
  @discardableResult
  func step(
    _ lease: JobLease,
    _ items: [JobItem] = [],
    processed: Int = 0,
    total: Int? = nil,
    checkpoint: [UInt8]? = nil,
    fraction: Double = 0,
    current: String? = nil,
    sentence: String = "x"
  ) async throws -> (JobEvent, JobDirective) {
    let step = JobStep(
      items: items,
      phase: "x",
      fraction: fraction,
      processed: processed,
      total: total,
      current: current,
      checkpoint: checkpoint
    )
    return try await commit(step, under: lease, fraction: fraction, sentence: sentence)
  }

  /// The stored events of a job.
  func events(_ job: String, after: Int64 = 0) async throws -> [JobEvent] {
    try await messages(job, after: after, limit: .max).map { try #require(StoredEvent.event($0)) }
  }
}
