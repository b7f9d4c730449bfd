import Foundation
package import GTFS
import Logging
import PostgresClient
import Serving
import Synchronization
package import Timetable

// What commands, and the checks of sources, change for all servers.
extension TimetableSharing {
  /// Takes the lock of a feed (rule ST1).
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - patience: How long to wait for another one that changes it.
  /// - Returns: The right to change it; the caller releases it.
  /// - Throws: ``FeedError`` with code `busy` if another one changes it, `unavailable` if the database does not answer.
  func change(_ key: String, patience: Duration = .zero) async throws(FeedError) -> FeedChange {
    let change: FeedChange?
    do {
      change = try await store.lock(key, patience: patience)
    } catch let fault as TimetableArtifact.Fault {
      throw FeedError(.damagedTimetable, "\(store.address): \(fault)")
    } catch {
      throw unavailable(error)
    }
    guard let change else {
      throw FeedError(
        .busy,
        "another machine is importing or changing the feed \(key), says the database"
      )
    }
    return change
  }

  private func unavailable(_ error: any Error) -> FeedError {
    FeedError(
      .unavailable,
      "the database that shares the timetables, \(store.address), cannot be used: \(error)"
    )
  }

  /// Brings the data folder to where the database is with a feed: fetches its generations and lets them serve.
  ///
  /// - Parameter feed: The newest change.
  /// - Throws: ``FeedError`` if the serving generation cannot be fetched, or the folder cannot be written.
  func bring(_ feed: SharedFeed) async throws(FeedError) {
    guard feed.sequence > 0 else { return }
    let entry = feed.entry(at: clock.now)
    for generation in entry?.generationsByNeed ?? []
    where !folder.presentGenerations(of: feed.key).contains(generation) {
      let failure = await fetchPatiently(generation, of: feed.key)
      guard generation == entry?.generation, let failure else { continue }
      switch failure {
      case .gone:
        throw FeedError(.conflict, "\(generation) is not in the database any more: try again")
      case .missing, .away:
        throw FeedError(.unavailable, "\(generation) cannot be fetched from \(store.address) now")
      case .unreadable(let reason), .broken(let reason):
        throw FeedError(
          .damagedTimetable,
          "the timetable of the database cannot be used: \(reason)"
        )
      }
    }
    let (folder, now, database) = (folder, clock.now, "\(store.address)")
    let record = try folder.sharedRecord()
    // What was fetched is not in its place yet.
    let isInPlace = entry?.generationsByNeed.allSatisfy { generation in
      let fetched = folder.fetchedFolder(of: feed.key, generation: generation)
      return !FileManager.default.fileExists(atPath: fetched)
    }
    if record?.database == database, record?.feeds[feed.key]?.sequence == feed.sequence,
      isInPlace ?? true,
      try folder.manifest().feed(feed.key)
        == entry?.limited(to: folder.presentGenerations(of: feed.key))
    {
      return
    }
    let missing = try await Self.offload { () throws(FeedError) in
      let lock = try folder.lockForImport(
        patience: StaticFeedLimits.commandWaitSeconds,
        mayBeShared: true
      )
      defer { withExtendedLifetime(lock) {} }
      return try folder.install(feed, of: database, now: now)
    }
    if let missing {
      throw FeedError(.conflict, "\(missing) was removed from \(folder.path): try again")
    }
  }

  /// Fetches a generation, or waits until another process of this machine has it.
  private func fetchPatiently(
    _ generation: String,
    of key: String
  ) async -> TimetableFollower.Failure? {
    let end = ContinuousClock.now + .seconds(StaticFeedLimits.commandWaitSeconds)
    while true {
      let failure = await fetch(generation, of: key)
      guard failure == .away, ContinuousClock.now < end, !Task.isCancelled else {
        return failure
      }
      try? await Task.sleep(for: store.limits.retryEvery)
      if folder.presentGenerations(of: key).contains(generation) { return nil }
    }
  }

  /// Stores what the database does not have of an entry, and makes it visible to all servers (ST2, ST3).
  ///
  /// Nothing is visible before all of it is stored.
  ///
  /// - Parameters:
  ///   - entry: The feed's entry; `nil` to take it out of service.
  ///   - change: The right to change it.
  ///   - progress: Called during the upload.
  /// - Returns: The change.
  /// - Throws: ``FeedError`` with code `conflict` if somebody else changed the feed, `unavailable` if the database did not
  ///   answer; nothing is changed then.
  func commit(
    _ entry: FeedManifest.Feed?,
    _ change: FeedChange,
    progress: (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> SharedFeed {
    let key = change.base.key
    do {
      // What was left of others makes room.
      try await store.sweep(change.base, change.connection)
      let stored = try await store.stored(change)
      var usable = entry
      if let entry {
        usable = entry.limited(to: stored.union(folder.presentGenerations(of: key)))
        guard usable != nil else {
          throw FeedError(
            .unreadable,
            "the timetable \(entry.generation) is neither in the database nor in \(folder.path)"
          )
        }
      }
      for generation in usable?.generationsByNeed ?? [] where !stored.contains(generation) {
        try await upload(generation, change, progress: progress)
      }
      let feed: SharedFeed
      do {
        feed = try await store.commit(usable, change)
      } catch let error as PostgresError {
        // The answer may be lost, and the change made.
        guard let found = try await store.feed(key), found.entry == usable,
          found.sequence > change.base.sequence, found.changedBy == store.name
        else { throw error }
        feed = found
      }
      state.withLock { $0.stored += 1 }
      // Otherwise a server does it later.
      _ = try? await store.sweep(feed, change.connection)
      return feed
    } catch is PostgresTimetables.LostCommit {
      throw FeedError(
        .conflict,
        "another machine changed the feed \(key) meanwhile: nothing is changed here; try again"
      )
    } catch let error as FeedError {
      throw error
    } catch {
      throw unavailable(error)
    }
  }

  /// Stores a generation, in parts.
  private func upload(
    _ generation: String,
    _ change: FeedChange,
    progress: (ImportProgress) -> Void
  ) async throws {
    let files = StoredFiles(
      path: folder.folder(of: change.base.key, generation: generation),
      chunkBytes: limits.chunkBytes
    )
    let found = try files.files()
    let total = found.reduce(0) { $0 + $1.bytes }
    guard total <= limits.artifactBytes else {
      throw FeedError(
        .limitExceeded,
        "the timetable has \(total) bytes; the database takes \(limits.artifactBytes)"
      )
    }
    var artifact = TimetableArtifact(
      chunkBytes: limits.chunkBytes,
      timetable: try files.version()
    )
    let id = try await store.begin(generation, change)
    var sent = 0
    for (name, bytes) in found {
      var file = TimetableArtifact.File(name: name, bytes: bytes, checksums: [])
      for number in 0..<artifact.chunkCount(of: file) {
        progress(ImportProgress(step: "store", done: sent, total: total))
        let content = try await Self.offload { () throws(FeedError) in
          try files.part(number, of: (name, bytes))
        }
        file.checksums.append(TimetableArtifact.checksum(content))
        try await store.store(content, number, of: name, id, change)
        sent += content.count
      }
      artifact.files.append(file)
    }
    try await store.finish(artifact, id, change)
    progress(ImportProgress(step: "store", done: total, total: total))
  }

  /// Lets a change serve here that was committed; the caller holds the import lock.
  ///
  /// What is not here is fetched by the server of the folder, if there is one. All other servers have the change whatever
  /// becomes of it here.
  ///
  /// - Returns: Why it is not in place here; `nil` if it is.
  func install(_ feed: SharedFeed) -> FeedError? {
    do throws(FeedError) {
      _ = try folder.install(feed, of: "\(store.address)", now: clock.now)
      return nil
    } catch {
      logger.warning(
        "a change is stored for all servers and is not in place here; the server of this data folder tries again",
        metadata: ["feed": "\(feed.key)", "reason": "\(error.message)"]
      )
      return FeedError(
        error.code,
        "the change of the feed \(feed.key) is stored for all servers; here it is not in place: \(error.message)"
      )
    }
  }

  /// The manifest of the data folder, in which a feed is as the database has it.
  func manifest(_ change: FeedChange) throws(FeedError) -> FeedManifest {
    var manifest = try folder.manifest()
    let key = change.base.key
    // What only this server has is shared by its next change.
    guard change.base.sequence > 0 else { return manifest }
    let place = manifest.feeds.firstIndex { $0.key == key }
    switch (change.base.entry(at: clock.now), place) {
    case (let entry?, let place?): manifest.feeds[place] = entry
    case (let entry?, nil): manifest.feeds.append(entry)
    case (nil, let place?): manifest.feeds.remove(at: place)
    case (nil, nil): break
    }
    return manifest
  }

  /// Keeps the schedule of a feed's source for all servers.
  func write(_ schedule: StaticSchedule, _ change: FeedChange) async throws(FeedError) {
    do {
      let text = String(decoding: try JSONEncoder().encode(schedule), as: UTF8.self)
      try await store.write(schedule: text, change)
    } catch {
      throw unavailable(error)
    }
  }

  // MARK: Commands

  /// Imports a feed for all servers: as ``FeedImporter/run(source:prefix:aliases:now:progress:)``, and the swap is the
  /// commit to the database.
  ///
  /// - Parameters: As those of the importer.
  /// - Returns: The final report.
  /// - Throws: ``FeedError``; nothing is changed then, here or elsewhere.
  package func run(
    _ importer: FeedImporter,
    source: String,
    prefix: String?,
    aliases: String?,
    now: Double,
    progress: @escaping (ImportProgress) -> Void
  ) async throws(FeedError) -> ImportReport {
    let key = prefix ?? FeedManifest.defaultKey
    let change = try await change(key)
    do throws(FeedError) {
      let staged = try importer.stage(
        source: source,
        prefix: prefix,
        aliases: aliases,
        now: now,
        sharing: { () throws(FeedError) in try self.manifest(change) },
        progress: progress
      )
      let feed: SharedFeed
      do throws(FeedError) {
        feed = try await commit(
          staged.manifest.feed(key),
          change,
          progress: progress
        )
      } catch {
        importer.discard(staged)
        throw error
      }
      if let failure = install(feed) { throw failure }
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
  ///   - body: Changes the manifest, of which only the feed's entry counts.
  /// - Returns: What `body` returns.
  /// - Throws: ``FeedError``; nothing is changed then, here or elsewhere.
  private func change<Result>(
    _ key: String,
    _ body: (inout FeedManifest) throws(FeedError) -> Result
  ) async throws(FeedError) -> Result {
    let change = try await change(
      key,
      patience: .seconds(StaticFeedLimits.commandWaitSeconds)
    )
    do throws(FeedError) {
      try await bring(change.base)
      let lock = try folder.lockForImport(
        patience: StaticFeedLimits.commandWaitSeconds,
        mayBeShared: true
      )
      defer { withExtendedLifetime(lock) {} }
      var manifest = try manifest(change)
      let before = manifest.feed(key)
      let result = try body(&manifest)
      let after = manifest.feed(key)
      if after != before || change.base.sequence == 0 && after != nil {
        if let failure = install(try await commit(after, change)) { throw failure }
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
  package func accept(key: String) async throws(FeedError) -> FeedManifest.Generation {
    let (folder, now) = (folder, clock.now)
    return try await change(key) { manifest throws(FeedError) in
      try folder.accept(key: key, now: now, in: &manifest)
    }
  }

  /// Lets the generation serve again on all servers that served before.
  ///
  /// - Throws: ``FeedError`` as ``DataFolder/rollBack(key:)`` does, and if that generation cannot be had or opened here: what is wrong
  ///   with one machine does not decide what all serve.
  package func rollBack(key: String) async throws(FeedError) -> FeedManifest.Generation {
    let folder = folder
    return try await change(key) { manifest throws(FeedError) in
      try folder.rollBack(key: key, in: &manifest, passingOver: false)
    }
  }

  /// Takes a feed out of service on all servers.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``FeedError`` if the database does not answer.
  package func takeOut(key: String) async throws(FeedError) -> Bool {
    try await change(key) { manifest throws(FeedError) in
      guard manifest.feed(key) != nil else { return false }
      manifest.feeds.removeAll { $0.key == key }
      return true
    }
  }

  /// Shares the timetable that serves here, with those that are kept, in place of what the database has.
  ///
  /// - Returns: The generation.
  /// - Throws: ``FeedError`` if the data folder has no such feed.
  package func share(key: String) async throws(FeedError) -> String {
    let change = try await change(
      key,
      patience: .seconds(StaticFeedLimits.commandWaitSeconds)
    )
    do throws(FeedError) {
      let lock = try folder.lockForImport(
        patience: StaticFeedLimits.commandWaitSeconds,
        mayBeShared: true
      )
      defer { withExtendedLifetime(lock) {} }
      guard let entry = try folder.manifest().feed(key) else {
        throw FeedError(.unreadable, "\(folder.path): there is no feed \(key)")
      }
      if let failure = install(try await commit(entry, change)) { throw failure }
      await change.release()
      return entry.generation
    } catch {
      await change.release()
      throw error
    }
  }
}

extension FeedChange {
  /// The schedule of the feed's source; `nil` if no server has asked it, or another version of the program wrote it.
  var sharedSchedule: StaticSchedule? {
    schedule.flatMap { try? JSONDecoder().decode(StaticSchedule.self, from: Data($0.utf8)) }
  }
}
