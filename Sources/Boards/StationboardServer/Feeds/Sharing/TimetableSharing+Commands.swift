import Foundation
package import GTFS
import PostgresClient
import Serving
package import Timetable

// What commands change for all servers.
extension TimetableSharing {
  /// Imports a feed for all servers: as ``FeedImporter/run(source:prefix:aliases:now:progress:)``, and the swap is the
  /// commit to the database.
  ///
  /// - Parameters: As those of the importer.
  /// - Returns: The final report.
  /// - Throws: ``FeedError``; nothing is changed then, here or elsewhere, unless its code is `unknownOutcome` or `notInPlace`.
  package func run(
    _ importer: FeedImporter,
    source: String,
    prefix: String?,
    aliases: String?,
    now: Double,
    progress: @escaping (ImportProgress) -> Void
  ) async throws(FeedError) -> ImportReport {
    // Called by one thread after another.
    nonisolated(unsafe) let report = progress
    let key = prefix ?? FeedManifest.defaultKey
    let change = try await change(key)
    do throws(FeedError) {
      // It takes long, and leases are renewed meanwhile.
      let staged = try await Self.offload { () throws(FeedError) in
        try importer.stage(
          source: source,
          prefix: prefix,
          aliases: aliases,
          now: now,
          sharing: { () throws(FeedError) in try self.manifest(change) },
          progress: { report($0) }
        )
      }
      let feed: SharedFeed
      do throws(FeedError) {
        feed = try await commit(
          staged.manifest.feed(key),
          change,
          progress: progress
        )
      } catch {
        // A change that may be stored names the generation.
        if error.code != .unknownOutcome { importer.discard(staged) }
        throw error
      }
      if let failure = await install(feed) { throw failure }
      await change.release()
      return staged.report
    } catch {
      await change.release()
      throw error
    }
  }

  /// Changes the entry of a feed for all servers.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - need: Which generation has to be in the data folder. Others need not be usable here.
  ///   - progress: Called while parts of timetables are fetched or stored.
  ///   - body: Changes the manifest, of which only the feed's entry counts.
  /// - Returns: What `body` returns.
  /// - Throws: ``FeedError``; nothing is changed then, here or elsewhere, unless its code is `unknownOutcome` or `notInPlace`.
  private func change<Result>(
    _ key: String,
    needing need: (FeedManifest.Feed) -> String?,
    _ progress: @escaping @Sendable (ImportProgress) -> Void,
    _ body: (inout FeedManifest) throws(FeedError) -> Result
  ) async throws(FeedError) -> Result {
    let change = try await change(
      key,
      patience: .seconds(StaticFeedLimits.commandWaitSeconds)
    )
    do throws(FeedError) {
      let needed = change.base.entry(at: clock.now).flatMap(need)
      if let needed { try await obtain(needed, of: key, progress: progress) }
      let lock = try await importLock()
      defer { withExtendedLifetime(lock) {} }
      if let needed { try folder.moveFetched(needed, of: key) }
      var manifest = try manifest(change)
      let before = manifest.feed(key)
      let result = try body(&manifest)
      let after = manifest.feed(key)
      if after != before || change.base.change == nil && after != nil {
        if let failure = await install(try await commit(after, change, progress: progress)) {
          throw failure
        }
      }
      await change.release()
      return result
    } catch {
      await change.release()
      throw error
    }
  }

  /// Lets the generation serve on all servers that is held back.
  ///
  /// - Throws: ``FeedError`` as ``DataFolder/accept(key:now:)`` does.
  package func accept(
    key: String,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> FeedManifest.Generation {
    let (folder, now) = (folder, clock.now)
    return try await change(key, needing: \.held?.generation.name, progress) {
      manifest throws(FeedError) in
      try folder.accept(key: key, now: now, in: &manifest)
    }
  }

  /// Lets the generation serve again on all servers that served before.
  ///
  /// - Throws: ``FeedError`` as ``DataFolder/rollBack(key:)`` does, and if that generation cannot be had or opened here: what is wrong
  ///   with one machine does not decide what all serve.
  package func rollBack(
    key: String,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> FeedManifest.Generation {
    let folder = folder
    return try await change(key, needing: \.earlier?.first?.name, progress) {
      manifest throws(FeedError) in
      try folder.rollBack(key: key, in: &manifest, passingOver: false)
    }
  }

  /// Takes a feed out of service on all servers, also one whose timetables cannot be used here.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``FeedError`` if the database does not answer.
  package func takeOut(
    key: String,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> Bool {
    let change = try await change(
      key,
      patience: .seconds(StaticFeedLimits.commandWaitSeconds),
      readsEntry: false
    )
    do throws(FeedError) {
      let lock = try await importLock()
      defer { withExtendedLifetime(lock) {} }
      let isThere =
        try change.base.change == nil
        ? folder.manifest().feed(key) != nil : change.base.entry != nil || change.fault != nil
      if isThere, let failure = await install(try await commit(nil, change, progress: progress)) {
        throw failure
      }
      await change.release()
      return isThere
    } catch {
      await change.release()
      throw error
    }
  }

  /// Shares the timetable that serves here, with those that are kept, in place of what the database has.
  ///
  /// - Returns: The generation.
  /// - Throws: ``FeedError`` if the data folder has no such feed.
  package func share(
    key: String,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> String {
    let change = try await change(
      key,
      patience: .seconds(StaticFeedLimits.commandWaitSeconds)
    )
    do throws(FeedError) {
      let lock = try await importLock()
      defer { withExtendedLifetime(lock) {} }
      guard let entry = try folder.manifest().feed(key) else {
        throw FeedError(.unreadable, "\(folder.path): there is no feed \(key)")
      }
      if let failure = await install(try await commit(entry, change, progress: progress)) {
        throw failure
      }
      await change.release()
      return entry.generation
    } catch {
      await change.release()
      throw error
    }
  }
}
