/// Which generation serves next: every change of a manifest, as pure functions.
extension FeedManifest {
  /// How many generations that served before are kept.
  package static let keptEarlier = 2

  /// The entry of a feed.
  package func feed(_ key: String) -> Feed? { feeds.first { $0.key == key } }

  /// Changes the entry of a feed; returns `nil` without one.
  private mutating func change<Result>(_ key: String, _ body: (inout Feed) -> Result?) -> Result? {
    guard let place = feeds.firstIndex(where: { $0.key == key }) else { return nil }
    return body(&feeds[place])
  }

  /// Lets a generation serve.
  ///
  /// The one before is kept if either of the two came from a source. What was held back is dropped, because
  /// it was judged against another generation.
  package mutating func serve(_ generation: Generation, key: String, prefix: String?) {
    let isChanged: Void? = change(key) { feed in
      let isKept = generation.origin != nil || feed.origin != nil || feed.earlier != nil
      feed.replaceServing(by: generation, keepingBefore: isKept)
      feed.held = nil
      if feed.waiting?.name == generation.name { feed.waiting = nil }
    }
    guard isChanged == nil else { return }
    feeds.append(
      Feed(key: key, prefix: prefix, generation: generation.name, origin: generation.origin)
    )
  }

  /// Holds a generation back, in place of another that was.
  package mutating func hold(_ generation: Generation, _ reason: HoldReason, key: String) {
    _ = change(key) { $0.held = Held(generation: generation, reason: reason) }
  }

  /// Keeps a generation until its first day, in place of another that was waiting.
  package mutating func wait(_ waiting: Generation, key: String) {
    _ = change(key) { feed in
      feed.waiting = waiting
      feed.held = nil
    }
  }

  /// Drops a waiting generation that ends no later than one that serves now.
  package mutating func dropWaiting(endingBy lastDay: Int, key: String) {
    _ = change(key) { feed in
      if let end = feed.waiting?.lastDay, end <= lastDay { feed.waiting = nil }
    }
  }

  /// Drops a waiting generation.
  package mutating func dropWaiting(key: String) {
    _ = change(key) { $0.waiting = nil }
  }

  /// Drops a generation that served before.
  package mutating func dropEarlier(_ name: String, key: String) {
    _ = change(key) { feed in
      let left = (feed.earlier ?? []).filter { $0.name != name }
      feed.earlier = left.isEmpty ? nil : left
    }
  }

  /// Drops what was held back because the source offers the serving generation again.
  package mutating func dropHeld(key: String) {
    _ = change(key) { feed in
      if feed.held?.reason != .rolledBack { feed.held = nil }
    }
  }

  /// Lets a generation serve that was held back, or wait for its first day if that is to come.
  ///
  /// - Returns: The generation; `nil` if none is held back.
  package mutating func accept(key: String, now: Double) -> Generation? {
    change(key) { feed -> Generation? in
      guard let held = feed.held else { return nil }
      feed.held = nil
      if let start = held.generation.startsAt, start > now {
        feed.waiting = held.generation
        return held.generation
      }
      feed.replaceServing(by: held.generation, keepingBefore: true)
      return held.generation
    }
  }

  /// Goes back to the generation that served before; the serving one is held back.
  ///
  /// - Returns: The generation that serves now; `nil` if none is kept.
  package mutating func rollBack(key: String) -> Generation? {
    change(key) { feed -> Generation? in
      guard var earlier = feed.earlier, !earlier.isEmpty else { return nil }
      let target = earlier.removeFirst()
      feed.held = Held(generation: feed.serving, reason: .rolledBack)
      feed.earlier = earlier.isEmpty ? nil : earlier
      feed.generation = target.name
      feed.origin = target.origin
      return target
    }
  }

  /// Lets every waiting generation serve whose first day has come at an instant, in seconds since
  /// 1970-01-01T00:00:00Z.
  ///
  /// - Returns: The keys of the feeds that changed.
  package mutating func promote(now: Double) -> [String] {
    feeds.indices.compactMap { place in
      guard let waiting = feeds[place].waiting, waiting.startsAt ?? now <= now else { return nil }
      feeds[place].waiting = nil
      feeds[place].held = nil
      feeds[place].replaceServing(by: waiting, keepingBefore: true)
      return feeds[place].key
    }
  }
}

extension FeedManifest.Feed {
  /// The serving generation.
  package var serving: FeedManifest.Generation {
    FeedManifest.Generation(name: generation, origin: origin)
  }

  /// The names of all generations that are kept.
  var keptGenerations: [String] {
    [generation] + (earlier ?? []).map(\.name)
      + [held?.generation.name, waiting?.name].compactMap(\.self)
  }

  /// Whether two entries serve the same import.
  func isSameGeneration(as other: FeedManifest.Feed) -> Bool {
    (key, prefix, generation) == (other.key, other.prefix, other.generation)
  }

  fileprivate mutating func replaceServing(
    by next: FeedManifest.Generation,
    keepingBefore: Bool
  ) {
    guard next.name != generation else { return }
    let before = (keepingBefore ? [serving] : []) + (earlier ?? [])
    let kept = before.filter { $0.name != next.name }.prefix(FeedManifest.keptEarlier)
    earlier = kept.isEmpty ? nil : Array(kept)
    generation = next.name
    origin = next.origin
  }
}
