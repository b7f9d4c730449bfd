package import HTTPTypes

/// The place of a piece of work in a distributed trace: `traceparent` and `tracestate` (W3C Trace Context, level 2).
///
/// The fields are read strictly. A `traceparent` that is not valid is as good as none, and with it the `tracestate`.
package struct TraceContext: Hashable, Sendable {
  /// The id of the whole trace, 16 bytes of which one is not 0.
  package struct TraceID: Hashable, Sendable, CustomStringConvertible {
    fileprivate let high: UInt64
    fileprivate let low: UInt64

    /// 32 lowercase hexadecimal digits.
    package var description: String { hexadecimal(high) + hexadecimal(low) }
  }

  /// The id of one piece of work, 8 bytes of which one is not 0.
  package struct SpanID: Hashable, Sendable, CustomStringConvertible {
    fileprivate let value: UInt64

    /// 16 lowercase hexadecimal digits.
    package var description: String { hexadecimal(value) }
  }

  /// The trace.
  package let traceID: TraceID
  /// The work; of a received context that of the caller.
  package let spanID: SpanID
  /// Whether the caller may have recorded the trace, and whether its id is random: the flags that are defined.
  package let flags: UInt8
  /// What other systems passed on, as it is sent; `nil` for nothing.
  package let state: String?

  /// The flags of level 2; all others are sent as 0.
  private static let knownFlags: UInt8 = 0b11
  private static let randomFlag: UInt8 = 0b10
  /// The bytes of a `traceparent` of version 00.
  private static let parentBytes = 55

  private init(traceID: TraceID, spanID: SpanID, flags: UInt8, state: String?) {
    self.traceID = traceID
    self.spanID = spanID
    self.flags = flags
    self.state = state
  }

  /// Begins a trace; nothing records it.
  ///
  /// - Parameter generator: The source of the ids.
  package init(using generator: inout some RandomNumberGenerator) {
    let high = generator.next()
    self.init(
      traceID: TraceID(high: high, low: Self.identifier(using: &generator)),
      spanID: Self.span(using: &generator),
      flags: Self.randomFlag,
      state: nil
    )
  }

  /// Reads the context of the caller of a request; `nil` without exactly one valid `traceparent`.
  ///
  /// - Parameter fields: The fields of the request.
  package init?(_ fields: HTTPFields) {
    let parents = fields[values: .traceparent]
    guard parents.count == 1, let parent = parents.first else { return nil }
    self.init(traceparent: parent, state: TraceState.read(fields[values: .tracestate]))
  }

  /// Reads a `traceparent`.
  ///
  /// Of a later version the part that version 00 defines is read.
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - state: What other systems passed on.
  package init?(traceparent text: String, state: String? = nil) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.parentBytes, let version = number(bytes[0..<2]), version != 0xFF,
      bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
      let high = number(bytes[3..<19]), let low = number(bytes[19..<35]), high | low != 0,
      let span = number(bytes[36..<52]), span != 0, let flags = number(bytes[53..<55])
    else { return nil }
    if bytes.count > Self.parentBytes {
      guard version > 0, bytes[Self.parentBytes] == dash else { return nil }
    }
    self.init(
      traceID: TraceID(high: high, low: low),
      spanID: SpanID(value: span),
      flags: UInt8(truncatingIfNeeded: flags) & Self.knownFlags,
      state: state
    )
  }

  /// Returns the context of work that is done because of this one.
  ///
  /// - Parameter generator: The source of its id.
  /// - Returns: The context, of the same trace.
  package func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
    TraceContext(traceID: traceID, spanID: Self.span(using: &generator), flags: flags, state: state)
  }

  /// The value of `traceparent` for requests that are sent in this context.
  package var traceparent: String {
    "00-\(traceID)-\(spanID)-\(hexadecimal(UInt64(flags)).suffix(2))"
  }

  /// Adds the context to the fields of a request, unless they have one.
  package func write(to fields: inout HTTPFields) {
    guard fields[.traceparent] == nil else { return }
    fields[.traceparent] = traceparent
    if let state { fields[.tracestate] = state }
  }

  private static func span(using generator: inout some RandomNumberGenerator) -> SpanID {
    SpanID(value: identifier(using: &generator))
  }

  /// Returns a number that is not 0.
  ///
  /// Drawing from a range of the standard library would take longer than the generator.
  private static func identifier(using generator: inout some RandomNumberGenerator) -> UInt64 {
    max(generator.next(), 1)
  }
}

private let dash = UInt8(ascii: "-")

/// The number of lowercase hexadecimal digits, at most 16; `nil` for anything else.
private func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
  var number: UInt64 = 0
  for digit in digits {
    switch digit {
    case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
    case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
    default: return nil
    }
  }
  return number
}

/// 16 lowercase hexadecimal digits.
private func hexadecimal(_ number: UInt64) -> String {
  String(unsafeUninitializedCapacity: 16) { text in
    var rest = number
    for place in (0..<16).reversed() {
      let digit = UInt8(truncatingIfNeeded: rest & 15)
      text[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
      rest >>= 4
    }
    return 16
  }
}
