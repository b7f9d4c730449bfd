import Foundation
import GTFS
import Logging
import PostgresClient
import PostgresCluster
import Serving
import Synchronization
import Testing

@testable import StationboardServer

/// A schema of its own, and machines that share it.
struct TimetableStage {
  private static let stages = Atomic(0)

  let schema: String

  init(grantingTo roles: Set<String> = []) async throws {
    schema = "timetables\(Self.stages.add(1, ordering: .relaxed).newValue)"
    let connection = try await PostgresCluster.connectAsOwner()
    _ = try await PostgresSchema.timetables(name: schema).migrate(connection, grantingTo: roles)
    await connection.close()
  }

  /// A machine with a data folder of its own.
  func machine(
    _ name: String,
    as role: String = "freshet",
    answerWithin: Duration = .seconds(120),
    leaseDuration: Duration = .seconds(120)
  ) throws -> TimetableSharing {
    var limits = TimetableSharingLimits()
    // Many tests share one database, and the processors with others.
    limits.answerWithin = answerWithin
    limits.bulkWithin = .seconds(120)
    limits.leaseDuration = leaseDuration
    limits.renewLeaseEvery = .milliseconds(200)
    limits.watchLeaseEvery = .milliseconds(50)
    limits.chunkBytes = 32 << 10
    return TimetableSharing(
      try PostgresAddress(PostgresCluster.uri(as: role)),
      folder: DataFolder(path: NSTemporaryDirectory() + "freshet-\(UUID().uuidString)"),
      clock: ServiceClock(startingAt: 1_795_000_000),
      limits: limits,
      name: name,
      schema: schema,
      logger: Logger(label: "test")
    )
  }

  /// Runs a statement as the owner.
  @discardableResult
  func run(_ sql: String) async throws -> PostgresRows {
    let connection = try await PostgresCluster.connectAsOwner()
    try await PostgresSchema.timetables(name: schema).prepare(connection)
    let rows = try await connection.query(sql)
    await connection.close()
    return rows
  }

  func count(_ what: String) async throws -> Int {
    try #require(try await run("SELECT count(*) FROM \(what)").first)[0]
  }

  func remove(_ machines: TimetableSharing...) {
    for machine in machines {
      machine.close()
      try? FileManager.default.removeItem(atPath: machine.folder.path)
    }
  }
}

/// Tests of timetables that machines share.
protocol TimetableStageTests {
  typealias Stage = TimetableStage
}

extension TimetableStageTests {
  @discardableResult
  func importSample(
    _ machine: TimetableSharing,
    prefix: String? = nil
  ) async throws -> FeedManifest.Feed {
    _ = try await machine.run(
      FeedImporter(folder: machine.folder),
      source: SampleFeed.smallFiles,
      prefix: prefix,
      aliases: nil,
      now: 1_795_000_000,
      progress: { _ in }
    )
    return try #require(try machine.folder.manifest().feed(prefix ?? "default"))
  }

  /// Imports the sample as if it came from a source, so that the ones before are kept.
  func importFollowed(_ machine: TimetableSharing) async throws -> FeedManifest.Feed {
    let change = try await machine.change("default")
    let staged = try FeedImporter(folder: machine.folder).stage(
      source: SampleFeed.smallFiles,
      prefix: nil,
      aliases: nil,
      now: 1_795_000_000,
      sharing: { () throws(FeedError) in try machine.manifest(change) },
      progress: { _ in }
    )
    var entry = try #require(staged.manifest.feed("default"))
    entry.origin = FeedManifest.Origin(digest: staged.generation)
    if let failure = await machine.install(try await machine.commit(entry, change)) {
      throw failure
    }
    await change.release()
    return try #require(try machine.folder.manifest().feed("default"))
  }

  func newest(
    _ machine: TimetableSharing,
    _ key: String = "default"
  ) async throws -> SharedFeed {
    try #require(try await machine.store.feed(key))
  }

  func bytes(
    _ machine: TimetableSharing,
    _ generation: String,
    _ file: String
  ) throws -> Data {
    let folder = machine.folder.folder(of: "default", generation: generation)
    return try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
  }
}
