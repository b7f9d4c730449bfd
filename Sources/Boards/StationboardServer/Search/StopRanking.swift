import Foundation

/// Says how well a name answers a query: pure, and the one place where the order of stops is decided.
///
/// A name counts only if it answers every word of the query. The tier decides first (the name
/// itself, its beginning, its words, its words with typing errors), then how close the words are,
/// then how many departures the stop has.
struct StopRanking {
  /// How a name answers a query.
  struct Score: Comparable, Hashable {
    /// 4 the name itself · 3 its beginning, or the part after the comma · 2 its words · 1 with errors.
    var tier: Int
    /// Larger is better; comparable within a tier.
    var points: Double

    static func < (left: Score, right: Score) -> Bool {
      (left.tier, left.points) < (right.tier, right.points)
    }
  }

  private let words: [Word]
  private let joined: String
  private let hasStationWord: Bool

  /// A word and its bytes, so that they are made once.
  private struct Word {
    var text: String
    var bytes: [UInt8]

    init(_ text: some StringProtocol) {
      self.text = String(text)
      bytes = Array(text.utf8)
    }

    /// Whether this word contains another one.
    func contains(_ other: Word) -> Bool {
      guard let first = other.bytes.first, other.bytes.count <= bytes.count else { return false }
      for start in 0...(bytes.count - other.bytes.count) where bytes[start] == first {
        if bytes[start..<start + other.bytes.count].elementsEqual(other.bytes) { return true }
      }
      return false
    }
  }

  /// Prepares a query, normalized by ``SearchText``.
  init(query: String) {
    words = query.split(separator: " ").map { Word($0) }
    joined = query.replacing(" ", with: "")
    hasStationWord = words.contains { SearchText.stationWords.contains($0.text) }
  }

  /// How a name answers the query; `nil` if it does not.
  ///
  /// - Parameters:
  ///   - name: As it is shown, for its comma.
  ///   - normalized: The same, normalized.
  ///   - departures: How many departures the stop has in the timetable.
  ///   - isAlias: Whether the name is an alias or a translation and not the stop's own.
  /// - Returns: The score; larger is better.
  func score(
    name: String,
    normalized: String,
    departures: Int,
    isAlias: Bool
  ) -> Score? {
    let nameWords = normalized.split(separator: " ").map { Word($0) }
    guard !nameWords.isEmpty, let match = match(nameWords) else { return nil }
    let nameJoined = normalized.replacing(" ", with: "")
    let comma = name.firstIndex(of: ",")
    let local = comma.map { SearchText.words(String(name[$0...])).joined() }

    var tier = match.hasErrors ? 1 : 2
    if nameJoined == joined {
      tier = 4
    } else if nameJoined.hasPrefix(joined) || local == joined {
      tier = 3
    }
    var points = match.closeness * 1_000
    points += log10(1 + Double(departures)) * 200
    // The station of the town is what "zurich" means; "Zürich, Central" is a stop in it.
    let isHub = nameWords.contains { SearchText.stationWords.contains($0.text) }
    if comma == nil { points += 350 }
    if isHub, !hasStationWord { points += comma == nil ? 500 : 250 }
    if isAlias { points -= 60 }
    // The whole name with a typing error is closer than one of its words.
    if nameWords.count == words.count { points += 300 }
    points -= Double(nameWords.count) * 12
    return Score(tier: tier, points: points)
  }

  /// How close a name's words are to the query's; `nil` if a word of the query has no counterpart.
  private func match(_ nameWords: [Word]) -> (closeness: Double, hasErrors: Bool)? {
    // Neighbours written together, for "belair" and "bel air" alike.
    var targets = nameWords
    for (first, second) in zip(nameWords, nameWords.dropFirst()) {
      targets.append(Word(first.text + second.text))
    }
    var sum = 0.0
    var hasErrors = false
    var index = 0
    while index < words.count {
      let word = words[index]
      var best = Self.closeness(of: word, to: targets)
      var step = 1
      if best < 0.9, index + 1 < words.count {
        let pair = Self.closeness(of: Word(word.text + words[index + 1].text), to: targets)
        if pair >= 0.85, pair > best {
          best = pair
          step = 2
        }
      }
      guard best > 0 else { return nil }
      if best < 0.7 { hasErrors = true }
      sum += best * Double(step)
      index += step
    }
    return (sum / Double(words.count), hasErrors)
  }

  /// 1 the same word · 0.9 its beginning · 0.75 inside · below 0.7 with typing errors · 0 another word.
  private static func closeness(of word: Word, to targets: [Word]) -> Double {
    var best = 0.0
    for target in targets {
      if target.bytes == word.bytes { return 1 }
      if target.bytes.starts(with: word.bytes) {
        best = max(best, 0.9)
      } else if best < 0.75, word.bytes.count >= 3, target.contains(word) {
        best = 0.75
      }
    }
    guard best == 0, word.bytes.count >= 3 else { return best }
    let allowed = EditDistance.allowed(for: word.bytes)
    for target in targets {
      if let errors = EditDistance.between(word.bytes, target.bytes, limit: allowed) {
        best = max(best, 0.68 - 0.1 * Double(errors))
      }
      // A word that is still being typed, with an error in it.
      for length in [word.bytes.count, word.bytes.count + 1] where length < target.bytes.count {
        let beginning = Array(target.bytes.prefix(length))
        if let errors = EditDistance.between(word.bytes, beginning, limit: allowed - 1),
          word.bytes.count > 3
        {
          best = max(best, 0.6 - 0.1 * Double(errors))
        }
      }
    }
    return best
  }
}
