import Foundation

/// The words of all names of a feed, in memory: what queries with typing errors are compared with.
///
/// The index of the database finds words by their beginnings and by groups of three letters. A typing error in a short
/// word leaves no such group whole; and how many names have a group, the database does not say.
struct StopWords: Sendable {
  /// The most words that are kept; those of the busiest stops come first.
  static let most = 1 << 20
  /// The most words whose distance from one word of a query is counted.
  static let mostCompared = 10_000
  /// The most names, each counted once for each group of three letters, among which similar ones are searched for.
  static let mostGroupNames = 20_000

  /// All words, one after another, and where each one ends.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The letters of each word, as bits: two words with few errors have few different ones.
  private var letters: [UInt64] = []
  /// The names that have each word, the busiest stop first.
  private var names: [[Int64]] = []
  /// How many names have a group of three letters.
  private var groups: [Group: Int] = [:]

  /// Three letters.
  struct Group: Hashable, Sendable {
    private let value: UInt64

    /// The groups in a text, in their order.
    static func all(in text: some StringProtocol) -> [(group: Group, text: String)] {
      let scalars = Array(text.unicodeScalars)
      guard scalars.count >= 3 else { return [] }
      return (0...scalars.count - 3).map { start in
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<start + 3])
        let value = text.reduce(UInt64(0)) { $0 << 21 | UInt64($1.value) }
        return (Group(value: value), String(text))
      }
    }
  }

  /// Counts the words of names.
  ///
  /// - Parameter names: Numbers and normalized texts, those of the busiest stops first.
  init(_ names: some Sequence<(id: Int64, normalized: String)>) {
    var known: [String: Int] = [:]
    for (id, normalized) in names {
      for group in Set(Group.all(in: normalized).map(\.group)) { groups[group, default: 0] += 1 }
      let words = normalized.split(separator: " ").map(String.init)
      // Neighbours count as one word too, as they do where names are ranked.
      for word in words + zip(words, words.dropFirst()).map(+) {
        if let number = known[word] {
          if self.names[number].last != id { self.names[number].append(id) }
        } else if known.count < Self.most {
          known[word] = ends.count
          bytes += word.utf8
          ends.append(bytes.count)
          letters.append(Self.letters(word.utf8))
          self.names.append([id])
        }
      }
    }
  }

  /// Words after which a search yields the processor to shorter requests (sched_yield(2)).
  private static let wordsBetweenYields = 512

  private static func letters(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// The names with a word that is another one, or its beginning, except for typing errors; the closest and busiest first.
  ///
  /// - Parameters:
  ///   - word: A word of a query, of three letters or more.
  ///   - most: The most names.
  ///   - work: Counts the words that were compared.
  /// - Returns: The numbers of names.
  func names(like word: String, most: Int, work: SearchWork) -> [Int64] {
    let word = Array(word.utf8)
    guard word.count >= 3 else { return [] }
    let allowed = EditDistance.allowed(for: word)
    let wanted = Self.letters(word)
    var found: [(errors: Int, number: Int)] = []
    var compared = 0
    var start = 0
    for (number, end) in ends.enumerated() {
      defer { start = end }
      guard compared < Self.mostCompared else { break }
      if number % Self.wordsBetweenYields == 0 { sched_yield() }
      let target = bytes[start..<end]
      // The word itself, then its beginning while it is still being typed.
      var lengths: [(length: Int, limit: Int)] = [(target.count, allowed)]
      if word.count > 3 {
        for length in [word.count, word.count + 1] where length < target.count {
          lengths.append((length, allowed - 1))
        }
      }
      var best: Int?
      for (length, limit) in lengths where abs(length - word.count) <= limit {
        let part = target.prefix(length)
        let has = length == target.count ? letters[number] : Self.letters(part)
        guard (wanted & ~has).nonzeroBitCount <= limit, (has & ~wanted).nonzeroBitCount <= limit
        else { continue }
        compared += 1
        if let errors = EditDistance.between(word, Array(part), limit: limit) {
          best = min(best ?? errors, errors)
        }
      }
      if let best { found.append((best, number)) }
    }
    work.compared(compared)
    found.sort { ($0.errors, $0.number) < ($1.errors, $1.number) }
    var result: [Int64] = []
    var seen: Set<Int64> = []
    for (_, number) in found {
      for id in names[number] where seen.insert(id).inserted {
        result.append(id)
        if result.count == most { return result }
      }
    }
    return result
  }

  /// The rarest groups of three letters of a query: as many as few enough names have.
  ///
  /// - Parameter query: Normalized.
  /// - Returns: The groups as texts, in alphabetical order.
  func rarestGroups(of query: String) -> [String] {
    var counts: [String: Int] = [:]
    for word in query.split(separator: " ") {
      for (group, text) in Group.all(in: word) {
        if let count = groups[group] { counts[text] = count }
      }
    }
    var left = Self.mostGroupNames
    var rarest: [String] = []
    for (text, count) in counts.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      left -= count
      // One is searched for however many names have it: what it finds is limited too.
      guard left >= 0 || rarest.isEmpty else { break }
      rarest.append(text)
    }
    return rarest.sorted()
  }
}
