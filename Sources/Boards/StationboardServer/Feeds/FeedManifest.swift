/// Which imports serve.
package struct FeedManifest: Codable, Hashable, Sendable {
  /// A feed and its serving generation.
  package struct Feed: Codable, Hashable, Sendable {
    /// The name of the feed's folder: the prefix, or `default`.
    package var key: String
    /// The prefix of the feed's ids; `nil` if they are given out as they are.
    package var prefix: String?
    /// The name of the generation's folder.
    package var generation: String
    /// Where the serving generation came from; `nil` if it was imported by hand.
    package var origin: Origin?
    /// The generations that served before, newest first; `nil` for none.
    package var earlier: [Generation]?
    /// A generation that is held back until a person accepts it.
    package var held: Held?
    /// A generation that serves from its first day on.
    package var waiting: Generation?
  }

  /// The content that a generation was made of.
  package struct Origin: Codable, Hashable, Sendable {
    /// The digest of the file (``FeedDigest``).
    package var digest: String
    /// Last-Modified of the file, in seconds since 1970-01-01T00:00:00Z, if its server said it.
    package var modifiedAt: Int64?
  }

  /// A generation that is kept.
  package struct Generation: Codable, Hashable, Sendable {
    /// The name of its folder.
    package var name: String
    /// Where it came from; `nil` if it was imported by hand.
    package var origin: Origin?
    /// 0:00 of its first day, in seconds since 1970-01-01T00:00:00Z; `nil` if not known.
    package var startsAt: Double?
    /// Its last day, as days since 1970-01-01; `nil` if not known.
    package var lastDay: Int?
  }

  /// A generation that does not serve, and why.
  package struct Held: Codable, Hashable, Sendable {
    /// The generation.
    package var generation: Generation
    /// Why it does not serve.
    package var reason: HoldReason
  }

  /// Why a generation is held back.
  package enum HoldReason: String, Codable, Hashable, Sendable, CaseIterable {
    /// Passengers would lose more departures than the source allows.
    case losses
    /// Its last day is over.
    case expired
    /// Its file is older than that of the serving generation.
    case older
    /// A person went back to the generation before.
    case rolledBack
  }

  /// The layout of the data folder.
  package var version = FeedManifest.newestVersion
  /// The feeds, in the order of their first import.
  package var feeds: [Feed] = []

  /// The layout that this program writes, and the highest that it reads.
  static let newestVersion = 1

  /// The folder name of the feed without a prefix.
  package static let defaultKey = "default"

  /// Whether a text can be a prefix: 1 to 32 letters, digits, `-` and `_`.
  package static func isPrefix(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
      }
  }
}
