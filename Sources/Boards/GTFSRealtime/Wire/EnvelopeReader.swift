/// Walks the outer structure of a feed, `FeedMessage`: its header, then its entities.
///
/// An error here invalidates the whole feed: without correct lengths the start of the next entity
/// is unknown.
struct EnvelopeReader {
  private var cursor: WireCursor
  private let limits: RealtimeLimits
  private var hasHeader = false
  private var version: String?
  private var incrementality: Int32 = 0
  private var timestamp: UInt64 = 0
  private var feedVersion: String?
  /// How many entities have been walked over, the current one included.
  private(set) var entities = 0

  /// Creates a reader of a feed, whose bytes must outlive it.
  init(_ bytes: UnsafeRawBufferPointer, limits: RealtimeLimits) throws(RealtimeError) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      throw RealtimeError(.empty, "The feed is empty")
    }
    let most = min(limits.feedBytes, RealtimeLimits.mostFeedBytes)
    guard bytes.count <= most else {
      throw RealtimeError(
        .limitExceeded,
        "The feed has \(bytes.count) bytes; the most is \(most)"
      )
    }
    self.limits = limits
    cursor = WireCursor(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  /// The next entity; `nil` at the end of the feed.
  mutating func next() throws(RealtimeError) -> WireCursor? {
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let start = cursor.position
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: try readHeader(try cursor.message())
        case 18:
          let entity = try cursor.message()
          entities += 1
          guard entities <= limits.entities else {
            throw WireFault(.limitExceeded, "more than \(limits.entities) entities", at: start)
          }
          return entity
        default: try cursor.skip(tag, known: 2)
        }
      }
      return nil
    } catch {
      let isEntity = field == 2 && error.cause != .limitExceeded
      let fault = error.inside(.feed, field, index: isEntity ? entities : nil)
      throw RealtimeError(
        fault.cause == .limitExceeded ? .limitExceeded : .malformed,
        "The feed is broken: \(fault.reason)",
        offset: fault.offset,
        path: fault.path.isEmpty ? nil : fault.path
      )
    }
  }

  /// The header, once all entities have been walked over.
  func header() throws(RealtimeError) -> FeedHeader {
    guard hasHeader else { throw RealtimeError(.missingHeader, "The feed has no header") }
    guard let version else {
      throw RealtimeError(
        .missingHeader,
        "The feed does not say its version",
        path: "header.gtfs_realtime_version"
      )
    }
    return FeedHeader(
      version: version,
      incrementality: .init(number: incrementality),
      timestamp: timestamp,
      feedVersion: feedVersion
    )
  }

  private mutating func readHeader(_ content: WireCursor) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    hasHeader = true
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: version = try text(try cursor.message())
        case 16: incrementality = Int32(truncatingIfNeeded: try cursor.varint())
        case 24: timestamp = try cursor.varint()
        case 34: feedVersion = try text(try cursor.message())
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.header, field)
    }
  }

  private func text(_ content: WireCursor) throws(WireFault) -> String {
    let bytes = content.rest
    guard bytes.count <= limits.textBytes else {
      throw .textTooLong(bytes.count, limits.textBytes, at: content.position)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .notUTF8(at: content.position)
    }
    return text
  }
}

extension WireFault {
  /// A text over the limit.
  static func textTooLong(_ count: Int, _ limit: Int, at offset: Int) -> WireFault {
    WireFault(.limitExceeded, "a text of \(count) bytes; the most is \(limit)", at: offset)
  }

  /// A text that is not UTF-8.
  static func notUTF8(at offset: Int) -> WireFault {
    WireFault(.invalidText, "a text that is not UTF-8", at: offset)
  }
}
