/// Where a person is with a book.
package enum ReadingStatus: String, Hashable, Sendable, CaseIterable {
  /// Wants to read it.
  case wanted = "to-read"
  /// Is reading it.
  case reading = "reading"
  /// Has read it.
  case read = "read"
  /// Has laid it aside for a while.
  case paused = "paused"
  /// Has given it up.
  case abandoned = "did-not-finish"

  private static let words: [String: ReadingStatus] = {
    let lists: [(ReadingStatus, [String])] = [
      (
        .wanted,
        [
          "to read", "want to read", "wanttoread", "tbr", "wishlist", "wish list", "unread",
          "planned",
        ]
      ),
      (.reading, ["reading", "currently reading", "in progress", "started"]),
      (.read, ["read", "already read", "finished", "completed", "done"]),
      (.paused, ["paused", "on hold"]),
      (
        .abandoned,
        ["did not finish", "dnf", "abandoned", "stopped reading", "gave up", "stopped"]
      ),
    ]
    var words: [String: ReadingStatus] = [:]
    for (status, list) in lists { for word in list { words[word] = status } }
    return words
  }()

  /// The status that a service's word means; `nil` for a shelf of the owner's own.
  package init?(word: String) {
    guard let status = Self.words[BookColumn.name(of: word)] else { return nil }
    self = status
  }
}
