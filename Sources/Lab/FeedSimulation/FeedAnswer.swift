/// The response of a producer at an instant: a publication, and its fault, if any.
///
/// Cheap to create; ``FeedWorld/body(of:)`` writes the content.
package struct FeedAnswer: Hashable, Sendable {
  /// The feed.
  package let stream: FeedStream
  /// The publication whose content is served.
  package let tick: FeedTick
  /// The fault; `nil` without one.
  package let fault: FeedFault?
  /// When another publication replaces it, in milliseconds since 1970-01-01T00:00:00Z.
  package let nextInstant: Int64
  /// How many seconds the clock that stamps the publication is ahead.
  package var ahead: Int64 = 0

  /// The HTTP status.
  package var status: Int {
    switch fault {
    case .serverError(let status): status
    case .tooManyRequests: 429
    default: 200
    }
  }

  /// The seconds that the client should wait; `nil` if the producer does not say.
  package var retryAfter: Int? {
    switch fault {
    case .tooManyRequests(let seconds): seconds
    case .serverError(503): 5
    default: nil
    }
  }

  /// The response time of the producer, in milliseconds.
  package var wait: Int64 {
    if case .slow(let milliseconds) = fault { return milliseconds }
    return 0
  }
}

extension FeedWorld {
  /// Returns the response of a feed's producer at an instant, in milliseconds since
  /// 1970-01-01T00:00:00Z.
  package func answer(_ stream: FeedStream, at instant: Int64) -> FeedAnswer {
    let tick = tick(stream, at: instant)
    let fault = fault(of: tick.number, in: stream)
    if case .late(let delay) = fault {
      let appears = tick.instant + delay
      guard instant < appears else {
        return FeedAnswer(stream: stream, tick: tick, fault: nil, nextInstant: tick.nextInstant)
      }
      return FeedAnswer(
        stream: stream,
        tick: self.tick(stream, number: tick.number - 1),
        fault: fault,
        nextInstant: min(appears, tick.nextInstant)
      )
    }
    if case .backDated(let count) = fault {
      return FeedAnswer(
        stream: stream,
        tick: self.tick(stream, number: tick.number - count),
        fault: fault,
        nextInstant: tick.nextInstant
      )
    }
    return FeedAnswer(stream: stream, tick: tick, fault: fault, nextInstant: tick.nextInstant)
  }

  /// Returns the fault of a publication, or `nil`.
  package func fault(of number: Int64, in stream: FeedStream) -> FeedFault? {
    let random = self.random.of(
      stream == .alerts ? .alertDetail : .fault,
      UInt64(bitPattern: number)
    )
    guard random.isHit(options.scenario.faultyPublications, .fault) else { return nil }
    return FeedFault(random, period: rhythm(of: stream).period)
  }

  /// Returns the content of a response with status 200, as protobuf; empty for other responses.
  package func body(of answer: FeedAnswer) -> [UInt8] {
    switch answer.fault {
    case .emptyBody, .serverError, .tooManyRequests: return []
    case .noEntities: return emptyFeed(at: answer.tick.sourceTime)
    case .truncated, .late, .backDated, .slow, nil:
      let whole = content(of: answer.tick, in: answer.stream)
      return Self.cut(Self.stamped(whole, ahead: answer.ahead), by: answer.fault)
    }
  }

  /// Returns the content of a publication without faults, as protobuf.
  package func content(of tick: FeedTick, in stream: FeedStream) -> [UInt8] {
    switch stream {
    case .tripUpdates: tripUpdates(of: tick)
    case .alerts: alertFeed(of: tick)
    case .vehiclePositions: vehiclePositions(of: tick)
    }
  }

  /// Returns the part of a content that a truncated response has; all of it otherwise.
  package static func cut(_ content: [UInt8], by fault: FeedFault?) -> [UInt8] {
    guard case .truncated(let permille) = fault, content.count > 1 else { return content }
    return Array(content.prefix(max(1, min(content.count - 1, content.count * permille / 1_000))))
  }

  /// Returns a publication whose header is stamped by a clock that is a number of seconds ahead.
  ///
  /// The header is the first field, and its timestamp the third number in it: as ``TripUpdateWriter``
  /// and the writer of alerts write them.
  package static func stamped(_ content: [UInt8], ahead seconds: Int64) -> [UInt8] {
    guard seconds != 0, content.count > 2, content[0] == 0x0A,
      let tag = content.dropFirst(2).prefix(Int(content[1])).firstIndex(of: 0x18)
    else { return content }
    var end = tag + 1
    var stamp: UInt64 = 0
    var shift: UInt64 = 0
    while end < content.count, shift < 64 {
      stamp |= UInt64(content[end] & 0x7F) << shift
      shift += 7
      end += 1
      if content[end - 1] < 0x80 { break }
    }
    var moved = UInt64(bitPattern: Int64(bitPattern: stamp) + seconds)
    var digits: [UInt8] = []
    while moved >= 0x80 {
      digits.append(UInt8(truncatingIfNeeded: moved) | 0x80)
      moved >>= 7
    }
    digits.append(UInt8(moved))
    // The length of the header stays the same: timestamps have five bytes from 1978 to 3058.
    guard digits.count == end - tag - 1 else { return content }
    return Array(content[...tag]) + digits + content[end...]
  }
}
