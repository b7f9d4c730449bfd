/// A file of everything a producer of realtime feeds answered, so that an incident can be replayed.
///
/// The file is append-only. It begins with a header of 16 bytes: the magic text `FRESHREC`, the version
/// (``version``) and a zero, 4 bytes each. Then come records: 4 bytes length of the payload, 4 bytes
/// its complement, 8 bytes XXH64 of the payload, the payload. Numbers are little-endian. The first byte
/// of a payload is its kind: a source, a body, or an answer (``RecordKind``). A body that is the same as
/// the one before from the same source is not written again: an answer names the record of its body.
///
/// A killed recorder leaves at most one record without its end. It is recognised by its length, which
/// the complement vouches for, and dropped. Anything else that does not fit is damage and reported with
/// its place. Documentation/feed-recording.md has the layout of each payload.
package enum FeedRecording {
  /// One of the feeds of a producer.
  package enum Feed: String, Hashable, Sendable, CaseIterable {
    /// Trip updates.
    case tripUpdates = "trip-updates"
    /// Service alerts.
    case alerts
  }

  /// Where answers came from.
  package struct Source: Hashable, Sendable {
    /// What was asked for.
    package let feed: Feed
    /// The address, without credentials, or the path of a file.
    package let address: String

    /// Names a source.
    package init(feed: Feed, address: String) {
      self.feed = feed
      self.address = address
    }
  }

  /// One header field of an answer.
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
  /// Where answers come from: number, feed, address.
  case source = 1
  /// The bytes of a body.
  case body = 2
  /// An answer: source, times, status, fields, and the record of its body.
  case answer = 3
}
