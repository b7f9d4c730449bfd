/// The position of an event in its stream: a number, and the epoch in which it counts.
///
/// As an id it is `epoch-number`, or `number` in a stream without epochs. A new epoch means that
/// the server lost its earlier numbering.
public struct EventNumber: Hashable, Sendable, CustomStringConvertible {
  /// Distinguishes one life of the stream from the next; empty in a stream without epochs.
  public var epoch: String
  /// The number, at least 0; 0 is before the first event.
  public var number: Int64

  /// Creates a number.
  ///
  /// - Parameters:
  ///   - number: The count; a negative one becomes 0.
  ///   - epoch: A string without line ends and NUL; empty in a stream without epochs.
  public init(_ number: Int64, epoch: String = "") {
    self.epoch = epoch
    self.number = max(0, number)
  }

  /// Reads an id; returns `nil` if it does not end with a number.
  ///
  /// The number has no leading zeros, so that an id has one spelling.
  public init?(id: String) {
    let bytes = Array(id.utf8)
    let digits = bytes.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let head = bytes.dropLast(digits.count)
    guard let number = Int64(String(decoding: digits.reversed(), as: UTF8.self)),
      digits.count == 1 || digits.last != UInt8(ascii: "0"),
      head.isEmpty || (head.count > 1 && head.last == UInt8(ascii: "-"))
    else { return nil }
    self.init(number, epoch: String(decoding: head.dropLast(), as: UTF8.self))
  }

  /// The id.
  public var description: String { epoch.isEmpty ? String(number) : "\(epoch)-\(number)" }

  /// The number of the event that follows.
  public var next: EventNumber {
    EventNumber(number == .max ? .max : number + 1, epoch: epoch)
  }
}
