extension RestoreFolder {
  /// What a point has before it has a record.
  private static let unwritten: Set<String> = [made, record + OpenFolder.fresh]

  /// Removes the folders of points that were begun and, as their server was killed, never got a record.
  ///
  /// Nothing refers to them, and nothing but what a record begins with is in them. One with anything else stays and is named
  /// as unusable.
  ///
  /// - Parameter now: The current time, in seconds since 1970.
  func removeAbandoned(at now: Double) {
    guard let root = OpenFolder.open(common)?.folder(Self.root) else { return }
    for id in root.names(most: WatchLimits.restorePoints * 2) where Self.isId(id) {
      guard let folder = root.folder([id]), let changed = root.statusChangedAt(id),
        now - changed > WatchLimits.interrupted
      else { continue }
      let names = folder.names(most: Self.unwritten.count + 1)
      guard Self.unwritten.isSuperset(of: names), folder.kind(Self.record) == nil else { continue }
      for name in names { folder.unlink(name) }
      root.removeIfEmpty(id)
    }
  }
}
