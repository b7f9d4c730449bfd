/// Parses an event stream from any split of its bytes (WHATWG HTML, server-sent events,
/// "interpreting an event stream").
///
/// One parser serves one resource over all its connections: at the end of each, ``endConnection()``
/// discards what is unfinished and keeps ``lastEventID`` and ``reconnectionTime``. (The standard
/// starts every connection with an empty id, so an event without an id would lose the resume point;
/// browsers keep it, and so does this parser.)
///
/// After an error the parser throws the same error until the connection is ended. Items parsed
/// before it are not lost.
public struct EventStreamParser: Hashable, Sendable {
  /// The memory limits.
  public let limits: EventStreamLimits
  /// The id of the last event that had one, sent by the next connection.
  public private(set) var lastEventID: String
  /// The wait before reconnecting, in milliseconds; `nil` if the stream did not set it.
  public private(set) var reconnectionTime: Int64?

  private var line: [UInt8] = []
  private var lineNumber = 1
  /// Whether the last byte was a carriage return: a following line feed belongs to it.
  private var afterCarriageReturn = false
  /// Whether fewer than three bytes of the connection were read, which may be a byte order mark.
  private var mayBeByteOrderMark = true
  private var data: [UInt8] = []
  private var type = ""
  /// The id of the event that is being read; `nil` if it has none so far.
  private var id: String?
  private var failure: EventStreamError?

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - limits: The memory limits.
  ///   - lastEventID: The id of the last event of an earlier stream.
  public init(limits: EventStreamLimits = .init(), lastEventID: String = "") {
    self.limits = limits
    self.lastEventID = lastEventID
  }

  /// Parses the next bytes of the connection.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, split anywhere.
  ///   - items: Receives items as they are completed.
  /// - Throws: ``EventStreamError`` if a line or an event exceeds its limit. Items completed before
  ///   are in `items`.
  public mutating func feed(
    _ bytes: some Sequence<UInt8>,
    into items: inout [EventStreamItem]
  ) throws(EventStreamError) {
    if let failure { throw failure }
    let bytes = Array(bytes)
    guard let first = bytes.first else { return }
    var start = afterCarriageReturn && first == UInt8(ascii: "\n") ? 1 : 0
    afterCarriageReturn = false
    while start < bytes.count {
      let end = bytes[start...].firstIndex(where: Self.isLineEnd) ?? bytes.endIndex
      try append(bytes[start..<end])
      guard end < bytes.count else { return }
      try endLine(&items)
      start = end + 1
      guard bytes[end] == UInt8(ascii: "\r") else { continue }
      if start == bytes.count {
        afterCarriageReturn = true
      } else if bytes[start] == UInt8(ascii: "\n") {
        start += 1
      }
    }
  }

  /// Parses the next bytes of the connection and returns the items they complete.
  ///
  /// - Throws: ``EventStreamError`` if a line or an event exceeds its limit. Items completed before
  ///   are lost; the other form keeps them.
  public mutating func feed(
    _ bytes: some Sequence<UInt8>
  ) throws(EventStreamError) -> [EventStreamItem] {
    var items: [EventStreamItem] = []
    try feed(bytes, into: &items)
    return items
  }

  /// Ends the connection: discards an unfinished line and an unfinished event, including its id.
  public mutating func endConnection() {
    self = EventStreamParser(
      limits: limits,
      lastEventID: lastEventID,
      reconnectionTime: reconnectionTime
    )
  }

  private init(limits: EventStreamLimits, lastEventID: String, reconnectionTime: Int64?) {
    self.init(limits: limits, lastEventID: lastEventID)
    self.reconnectionTime = reconnectionTime
  }

  private mutating func append(_ part: ArraySlice<UInt8>) throws(EventStreamError) {
    var part = part
    while mayBeByteOrderMark, let byte = part.popFirst() {
      line.append(byte)
      guard line.count == 3 else { continue }
      mayBeByteOrderMark = false
      if line == [0xEF, 0xBB, 0xBF] { line.removeAll() }
    }
    guard mayBeByteOrderMark || part.count <= limits.line - line.count else {
      throw fail(.lineTooLong, "line \(lineNumber) is longer than \(limits.line) bytes")
    }
    line += part
  }

  private mutating func endLine(_ items: inout [EventStreamItem]) throws(EventStreamError) {
    mayBeByteOrderMark = false
    if line.isEmpty {
      dispatch(&items)
    } else if line.first == UInt8(ascii: ":") {
      items.append(.comment(Self.text(line.dropFirst())))
    } else {
      let name = line.prefix { $0 != UInt8(ascii: ":") }
      var value = line.dropFirst(name.count + 1)
      if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
      try field(name, value, &items)
    }
    line.removeAll(keepingCapacity: line.capacity <= 4096)
    lineNumber += 1
  }

  private mutating func field(
    _ name: ArraySlice<UInt8>,
    _ value: ArraySlice<UInt8>,
    _ items: inout [EventStreamItem]
  ) throws(EventStreamError) {
    if name.elementsEqual("data".utf8) {
      guard value.count + 1 <= limits.event - data.count else {
        let place = "the event that reaches line \(lineNumber)"
        throw fail(.eventTooLarge, "\(place) has more than \(limits.event) bytes of data")
      }
      data += value
      data.append(UInt8(ascii: "\n"))
    } else if name.elementsEqual("event".utf8) {
      type = Self.text(value)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { id = Self.text(value) }
    } else if name.elementsEqual("retry".utf8), let milliseconds = Self.number(value) {
      reconnectionTime = milliseconds
      items.append(.retry(milliseconds: milliseconds))
    }
  }

  private mutating func dispatch(_ items: inout [EventStreamItem]) {
    if let id { lastEventID = id }
    if !data.isEmpty {
      let event = ServerSentEvent(type: type, data: Self.text(data.dropLast()), id: id)
      items.append(.event(event))
    }
    data.removeAll(keepingCapacity: data.capacity <= 4096)
    type = ""
    id = nil
  }

  private mutating func fail(_ code: EventStreamError.Code, _ message: String) -> EventStreamError {
    let error = EventStreamError(code, message)
    failure = error
    line = []
    data = []
    return error
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Decodes a part of a line; invalid UTF-8 becomes U+FFFD.
  ///
  /// A line end is never part of a longer sequence, so decoding line by line is the same as
  /// decoding the stream.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Reads digits only; a number beyond Int64 becomes the greatest one.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      let (product, isOver) = number.multipliedReportingOverflow(by: 10)
      let (sum, isAbove) = product.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      number = isOver || isAbove ? .max : sum
    }
    return number
  }
}
