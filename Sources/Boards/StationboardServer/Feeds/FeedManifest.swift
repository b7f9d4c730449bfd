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
  }

  /// The layout of the data folder.
  package var version = 1
  /// The feeds, in the order of their first import.
  package var feeds: [Feed] = []

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
