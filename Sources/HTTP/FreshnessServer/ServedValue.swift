import ConditionalHTTP
import EventFeed
public import Foundation
public import FreshResponses
import Synchronization

/// A value that a server publishes and its clients keep fresh.
///
/// The value is encoded once for each change, not for each request. A value with the same encoding is not a change, but
/// makes the representation younger.
///
/// ```swift
/// let room = try ServedValue(Climate(celsius: 21.5))
/// router.serve(room, at: "/api/climate")
/// try room.publish(Climate(celsius: 21.7), expecting: .seconds(10), spread: .seconds(2))
/// ```
public final class ServedValue<Value: Sendable>: ServedResource {
  private struct Published {
    var value: Value
    var representation: Representation
  }

  /// Distinguishes the numbers of this value from those of another run of the server.
  public let epoch: String
  private let encode: @Sendable (Value) throws -> [UInt8]
  private let mediaType: String
  private let made: @Sendable (Value) -> Date
  private let published: Mutex<Published?>
  private let broadcaster = UpdateBroadcaster()

  /// Creates a value with an encoding of its own.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - epoch: Distinguishes the numbers of this run of the server; replicas that publish with equal numbers share one.
  ///     `nil` for a random one.
  ///   - mediaType: The media type of the encoded value.
  ///   - made: Returns when its source made a value; by default when it was published.
  ///   - encode: Encodes a value.
  public init(
    of type: Value.Type = Value.self,
    epoch: String? = nil,
    mediaType: String,
    made: @escaping @Sendable (Value) -> Date = { _ in .now },
    encode: @escaping @Sendable (Value) throws -> [UInt8]
  ) {
    self.epoch = epoch ?? String(UInt64.random(in: 1 << 60...(.max)), radix: 36)
    self.mediaType = mediaType
    self.made = made
    self.encode = encode
    published = Mutex(nil)
  }

  /// Creates a value that is encoded as JSON, dates as RFC 3339 with whole seconds.
  ///
  /// - Parameters:
  ///   - value: The first value; `nil` before the first.
  ///   - epoch: As for ``init(of:epoch:mediaType:made:encode:)``.
  ///   - made: Returns when its source made a value; by default when it was published.
  /// - Throws: What encoding throws.
  public convenience init(
    _ value: Value? = nil,
    epoch: String? = nil,
    made: @escaping @Sendable (Value) -> Date = { _ in .now }
  ) throws where Value: Encodable {
    self.init(epoch: epoch, mediaType: "application/json; charset=utf-8", made: made) { value in
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .iso8601
      return Array(try encoder.encode(value))
    }
    if let value { try publish(value) }
  }

  /// The newest value; `nil` if none was published.
  public var value: Value? { published.withLock { $0?.value } }

  /// Publishes a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - interval: When the next value is expected, from now; `nil` if unknown.
  ///   - spread: The time after that over which clients spread their requests: each draws its own place in it. `nil`
  ///     lets all of them ask at once, and so does zero. Without an expected instant it says nothing.
  ///   - number: The number of the state, which replicas share; `nil` counts. A number that is not greater than the
  ///     newest one is ignored.
  /// - Throws: What encoding throws.
  public func publish(
    _ value: Value,
    expecting interval: Duration? = nil,
    spread: Duration? = nil,
    number: Int64? = nil
  ) throws {
    let body = try encode(value)
    let madeAt = made(value)
    let isNew = published.withLock { published in
      replace(&published, value, body, madeAt, (interval, spread), number)
    }
    if isNew { broadcaster.send() }
  }

  /// Replaces the value.
  ///
  /// - Returns: Whether it was replaced.
  private func replace(
    _ published: inout Published?,
    _ value: Value,
    _ body: [UInt8],
    _ madeAt: Date,
    _ next: (interval: Duration?, spread: Duration?),
    _ number: Int64?
  ) -> Bool {
    let now = ResourceServing.machineClock()
    let before = published?.representation
    let count = before?.state.version?.number ?? 0
    if let number, number <= count { return false }
    let isSame = number == nil && before?.body == body
    let version = EventNumber(number ?? (isSame ? count : count + 1), epoch: epoch)
    let state = RepresentationState(
      version: version,
      sourceTime: madeAt.milliseconds,
      changedAt: isSame ? before?.state.changedAt : now,
      nextChange: next.interval.map { now + $0.wholeMilliseconds },
      spread: next.interval == nil ? nil : next.spread.map { max($0.wholeMilliseconds, 0) }
    )
    published = Published(
      value: value,
      representation: Representation(state: state, mediaType: mediaType, body: body)
    )
    return true
  }

  // MARK: ServedResource

  /// The newest state.
  public func state() async throws -> RepresentationState? {
    published.withLock { $0?.representation.state }
  }

  /// The newest value, encoded.
  public func representation() async throws -> Representation? {
    published.withLock { $0?.representation }
  }

  /// An element now, and one after each publication.
  public func updates() -> AsyncStream<Void> { broadcaster.updates() }
}

extension ServedValue: WritableResource where Value: Codable {
  /// Decodes JSON and publishes it if the conditions hold.
  public func write(_ body: [UInt8], if conditions: WriteConditions) async throws -> WriteResult {
    let value: Value
    do {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      value = try decoder.decode(Value.self, from: Data(body))
    } catch let error as DecodingError {
      return .unacceptable("the body is not the JSON that was expected: \(error)")
    }
    let encoded = try encode(value)
    let madeAt = made(value)
    let result = published.withLock { published -> WriteResult in
      let current = published?.representation.state
      let verdict = conditions.verdict(current)
      guard verdict == .proceed else { return .refused(verdict, current: current) }
      _ = replace(&published, value, encoded, madeAt, (nil, nil), nil)
      guard let state = published?.representation.state else {
        return .refused(.preconditionFailed, current: nil)
      }
      return .written(state)
    }
    if case .written = result { broadcaster.send() }
    return result
  }
}

extension Date {
  fileprivate var milliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? 0
  }
}

extension Duration {
  /// The length in milliseconds, rounded down.
  var wholeMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The length in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
