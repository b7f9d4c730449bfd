/// A file of all responses of a producer of realtime feeds, so that an incident can be replayed.
///
/// The file is append-only. It begins with a header of 16 bytes: the magic text `FRESHREC`, the
/// version (``version``) and a zero, 4 bytes each. Records follow: 4 bytes length of the payload, 4
/// bytes its complement, 8 bytes XXH64 of the payload, the payload. Numbers are little-endian. The
/// first byte of a payload is its kind: a source, a body, or a response (``RecordKind``). A body
/// that equals the previous one from the same source is not written again: a response refers to the
/// record of its body.
///
/// A killed recorder leaves at most one incomplete record at the end. It is recognized by its
/// length, which the complement confirms, and dropped. Any other inconsistency is damage and
/// reported with its position. Documentation/feed-recording.md has the layout of each payload.
package enum FeedRecording {
  /// One of the feeds of a producer.
  package enum Feed: String, Hashable, Sendable, CaseIterable {
    /// Trip updates.
    case tripUpdates = "trip-updates"
    /// Service alerts.
    case alerts
    /// Vehicle positions.
    case vehiclePositions = "vehicle-positions"
  }

  /// The source of responses.
  package struct Source: Hashable, Sendable {
    /// The requested feed.
    package let feed: Feed
    /// The URL, without credentials, or the path of a file.
    package let address: String

    /// Creates a source.
    package init(feed: Feed, address: String) {
      self.feed = feed
      self.address = address
    }
  }

  /// A header field of a response.
  package struct Field: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The value.
    package let value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The version of the format that is written and read.
  package static let version: UInt32 = 1

  static let magic = Array("FRESHREC".utf8)
  static let headerBytes = 16
  static let recordHeaderBytes = 16
}

/// The kinds of record; the number is the first byte of the payload.
enum RecordKind: UInt8 {
  /// A source of responses: number, feed, address.
  case source = 1
  /// The bytes of a body.
  case body = 2
  /// A response: source, times, status, fields, and the record of its body.
  case answer = 3
}
