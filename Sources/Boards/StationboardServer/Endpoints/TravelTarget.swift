import Timetable

/// Where runs are to go, and which stops and destinations that is; each is compared once.
struct TravelTarget {
  private let text: String
  private let normalized: String
  private let feed: Feed
  private let languages: [UInt32?]
  private var stops: [Timetable.Stop: Bool] = [:]
  private var destinations: [String: Bool] = [:]

  /// Reads a target.
  ///
  /// - Parameters:
  ///   - text: A destination as a board has it, or the name or id of a stop.
  ///   - feed: The feed, in whose languages names are compared.
  init(_ text: String, in feed: Feed) {
    self.text = text
    self.feed = feed
    normalized = SearchText.normalized(text)
    languages = [nil] + RequestLanguage.known.compactMap { feed.timetable.language($0) }
  }

  /// Whether a text is what boards call this destination.
  mutating func isDestination(_ text: String) -> Bool {
    if let known = destinations[text] { return known }
    let isSame = SearchText.normalized(text) == normalized
    destinations[text] = isSame
    return isSame
  }

  /// Whether boards call the destination of a departure so, in any language.
  mutating func isDestination(of trip: Timetable.Trip, at position: Int) -> Bool {
    for text in texts({ feed.timetable.destination(of: trip, at: position, language: $0) })
    where isDestination(text) {
      return true
    }
    return false
  }

  /// Whether a stop, or its station, has this id or name.
  mutating func isStop(_ stop: Timetable.Stop) -> Bool {
    if let known = stops[stop] { return known }
    let timetable = feed.timetable
    let station = timetable.station(of: stop)
    let isSame =
      [stop, station].contains { feed.publicId(timetable.id(of: $0)) == text }
      || texts { timetable.name(of: station, language: $0) }.contains {
        SearchText.normalized($0) == normalized
      }
    stops[stop] = isSame
    return isSame
  }

  /// A text in every language of the feed; a text without a translation occurs once.
  private func texts(_ text: (UInt32?) -> UnsafeRawBufferPointer) -> [String] {
    var seen: Set<UnsafeRawPointer> = []
    return languages.compactMap { language in
      let bytes = text(language)
      guard let base = bytes.baseAddress, seen.insert(base).inserted else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
