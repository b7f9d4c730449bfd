import Foundation
import GTFS
import Logging
import PostgresClient
import Serving
import Synchronization
import Timetable

// What commands, and the checks of sources, change for all servers.
extension TimetableSharing {
  /// Takes the lease of a feed (rule ST1).
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - patience: How long to wait for another one that changes it.
  ///   - readsEntry: Whether the caller needs the feed's entry.
  /// - Returns: The right to change it; the caller releases it.
  /// - Throws: ``FeedError`` with code `busy` if another one changes it, `unavailable` if the database does not answer,
  ///   `damagedTimetable` if the entry is needed and cannot be read.
  func change(
    _ key: String,
    patience: Duration = .zero,
    readsEntry: Bool = true
  ) async throws(FeedError) -> FeedChange {
    let change: FeedChange?
    do {
      change = try await store.lock(key, patience: patience)
    } catch {
      throw unavailable(error)
    }
    guard let change else {
      throw FeedError(
        .busy,
        "another machine is importing or changing the feed \(key), says the database"
      )
    }
    if readsEntry, let fault = change.fault {
      await change.release()
      throw FeedError(.damagedTimetable, "\(store.address): \(fault)")
    }
    return change
  }

  private func unavailable(_ error: any Error) -> FeedError {
    let error = PostgresError(unusable: error)
    let code: FeedError.Code =
      error.mismatch != nil
      ? .otherDatabase
      : error.isDenied ? .databaseRefuses : error.isMissing ? .noDatabase : .unavailable
    return FeedError(
      code,
      "the database that shares the timetables, \(store.address), cannot be used: \(error)"
    )
  }

  /// Brings the data folder to where the database is with a feed: fetches its generations and lets them serve.
  ///
  /// - Parameters:
  ///   - feed: The newest change.
  ///   - progress: Called while a generation is fetched.
  /// - Throws: ``FeedError`` if the serving generation cannot be fetched, or the folder cannot be written.
  func bring(
    _ feed: SharedFeed,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) {
    guard feed.change != nil else { return }
    let entry = feed.entry(at: clock.now)
    for generation in entry?.generationsByNeed ?? [] {
      do throws(FeedError) {
        try await obtain(generation, of: feed.key, progress: progress)
      } catch {
        // What does not serve is not needed now.
        if generation == entry?.generation { throw error }
      }
    }
    let folder = folder
    let known = try folder.sharedRecord()?.feeds[feed.key]?.change
    // What was fetched is not in its place yet.
    let isInPlace = entry?.generationsByNeed.allSatisfy { generation in
      let fetched = folder.fetchedFolder(of: feed.key, generation: generation)
      return !FileManager.default.fileExists(atPath: fetched)
    }
    if known == feed.change, isInPlace ?? true,
      try folder.manifest().feed(feed.key)
        == entry?.limited(to: folder.presentGenerations(of: feed.key))
    {
      return
    }
    let lock = try await importLock()
    defer { withExtendedLifetime(lock) {} }
    if let missing = try await put(feed) {
      throw FeedError(.conflict, "\(missing) was removed from \(folder.path): try again")
    }
  }

  /// Waits for the import lock of the data folder, without occupying the threads that renew leases.
  func importLock() async throws(FeedError) -> FileLock {
    let folder = folder
    return try await Self.offload { () throws(FeedError) in
      try folder.lockForImport(patience: StaticFeedLimits.commandWaitSeconds, mayBeShared: true)
    }
  }

  /// Lets the generations of a change serve if it still is the newest one; the caller holds the import lock.
  ///
  /// - Returns: The generation that is to serve and is not in the data folder; `nil` if all is done.
  /// - Throws: ``FeedError`` with code `conflict` if it is not the newest one, `unavailable` if the database does not answer.
  private func put(_ feed: SharedFeed) async throws(FeedError) -> String? {
    let newest: Int64?
    do {
      newest = try await store.newest(feed.key)
    } catch {
      throw unavailable(error)
    }
    guard newest == feed.change else {
      throw FeedError(
        .conflict,
        "another machine changed the feed \(feed.key) meanwhile: try again"
      )
    }
    let (folder, now, database) = (folder, clock.now, "\(store.address)")
    return try await Self.offload { () throws(FeedError) in
      try folder.install(feed, of: database, now: now)
    }
  }

  /// Fetches a generation that is not in the data folder.
  ///
  /// - Parameters:
  ///   - generation: The generation.
  ///   - key: The feed.
  ///   - progress: Called as parts arrive, with the step `fetch`.
  /// - Throws: ``FeedError`` if it cannot be fetched.
  func obtain(
    _ generation: String,
    of key: String,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) {
    guard !folder.presentGenerations(of: key).contains(generation),
      let failure = await fetchPatiently(generation, of: key, progress)
    else { return }
    switch failure {
    case .gone:
      throw FeedError(.conflict, "\(generation) is not in the database any more: try again")
    case .missing, .away, .busy:
      throw FeedError(.unavailable, "\(generation) cannot be fetched from \(store.address) now")
    case .unreadable(let reason), .broken(let reason):
      throw FeedError(
        .damagedTimetable,
        "the timetable of the database cannot be used: \(reason)"
      )
    }
  }

  /// Fetches a generation, or waits until another process of this machine has it.
  private func fetchPatiently(
    _ generation: String,
    of key: String,
    _ progress: @escaping @Sendable (ImportProgress) -> Void
  ) async -> TimetableFollower.Failure? {
    let end = ContinuousClock.now + .seconds(StaticFeedLimits.commandWaitSeconds)
    while true {
      let failure = await fetch(generation, of: key, progress: progress)
      guard failure == .away || failure == .busy, ContinuousClock.now < end, !Task.isCancelled
      else {
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
  /// - Throws: ``FeedError``. With code `unknownOutcome` the change may be stored; with any other, such as `conflict` if
  ///   another server or command changed the feed and `unavailable` if the database did not answer, nothing is changed.
  func commit(
    _ entry: FeedManifest.Feed?,
    _ change: FeedChange,
    progress: (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> SharedFeed {
    let key = change.base.key
    do {
      guard change.isHeld else { throw PostgresTimetables.LostCommit() }
      // What was left of others makes room; what an entry names that cannot be read stays.
      if change.fault == nil {
        _ = try? await store.sweep(key, change.base.entry, upTo: change.fence - 1)
      }
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
      let id = Int64.random(in: 1...Int64.max)
      let feed: SharedFeed
      do {
        feed = try await store.commit(usable, id: id, change)
      } catch let error as PostgresTimetables.UnknownCommit {
        feed = try await outcome(of: id, usable, change, error)
      }
      state.withLock { $0.stored += 1 }
      // Otherwise a server does it later.
      _ = try? await store.sweep(key, feed.entry, upTo: change.fence)
      return feed
    } catch is PostgresTimetables.LostCommit {
      throw FeedError(
        .conflict,
        "another machine changed the feed \(key) meanwhile, or took it over because this one did not answer for"
          + " \(limits.leaseDuration.seconds) s: nothing is changed; try again"
      )
    } catch let error as FeedError {
      throw error
    } catch {
      throw unavailable(error)
    }
  }

  /// Finds out the outcome of a commit that was not answered.
  ///
  /// - Returns: The change, if it is stored.
  /// - Throws: What the commit failed with if the change is not stored; ``FeedError`` with code `unknownOutcome` if the database does
  ///   not say so in time.
  private func outcome(
    of id: Int64,
    _ entry: FeedManifest.Feed?,
    _ change: FeedChange,
    _ failure: PostgresTimetables.UnknownCommit
  ) async throws -> SharedFeed {
    let end = ContinuousClock.now + limits.outcomeWithin
    while true {
      let stored: (sequence: Int64, added: Int64)?
      do {
        stored = try await store.stored(change: id)
      } catch {
        guard ContinuousClock.now < end, !Task.isCancelled else {
          throw FeedError(
            .unknownOutcome,
            "the connection to the database \(store.address) was lost while the change of the feed \(change.base.key) was being"
              + " stored, and the database has not answered since: it is unknown whether the change is stored. If it is, all"
              + " servers follow it. Once the database answers, look with freshet feeds list, and try again if need be"
          )
        }
        try? await Task.sleep(for: limits.retryEvery)
        continue
      }
      guard let stored else { throw failure.reason }
      var feed = change.base
      (feed.change, feed.sequence, feed.added) = (id, stored.sequence, stored.added)
      (feed.entry, feed.changedBy) = (entry, store.name)
      return feed
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
        try await store.store(content, number, of: name, id)
        sent += content.count
      }
      artifact.files.append(file)
    }
    try await store.finish(artifact, id)
    progress(ImportProgress(step: "store", done: total, total: total))
  }

  /// Lets a change serve here that was committed; the caller holds the import lock.
  ///
  /// What is not here is fetched by the server of the folder, if there is one. All other servers have the change whatever
  /// becomes of it here.
  ///
  /// - Returns: Why it is not in place here; `nil` if it is.
  func install(_ feed: SharedFeed) async -> FeedError? {
    do throws(FeedError) {
      _ = try await put(feed)
      return nil
    } catch {
      logger.warning(
        "a change is stored for all servers and is not in place here; the server of this data folder tries again",
        metadata: ["feed": "\(feed.key)", "reason": "\(error.message)"]
      )
      return FeedError(
        .notInPlace,
        "the change of the feed \(feed.key) is stored for all servers; here it is not in place: \(error.message)"
      )
    }
  }

  /// The manifest of the data folder, in which a feed is as the database has it.
  func manifest(_ change: FeedChange) throws(FeedError) -> FeedManifest {
    var manifest = try folder.manifest()
    let key = change.base.key
    // What only this server has is shared by its next change.
    guard change.base.change != nil else { return manifest }
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
    } catch is PostgresTimetables.LostCommit {
      throw lost(change)
    } catch {
      throw unavailable(error)
    }
  }

  /// The error of a source that another machine asks.
  func lost(_ change: FeedChange) -> FeedError {
    FeedError(
      .conflict,
      "another machine took over the source of the feed \(change.base.key): this one did not answer for"
        + " \(limits.leaseDuration.seconds) s"
    )
  }
}

extension FeedChange {
  /// The schedule of the feed's source; `nil` if no server has asked it, or another version of the program wrote it.
  var sharedSchedule: StaticSchedule? {
    schedule.flatMap { try? JSONDecoder().decode(StaticSchedule.self, from: Data($0.utf8)) }
  }
}
