import ConditionalHTTP
import GTFS
import NIOCore

/// Writes JSON as bytes, at memory speed: the boards' own writer.
///
/// The caller is responsible for the structure; nothing here adds commas or closes brackets.
struct JSONBytes: ~Copyable {
  private var bytes: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int

  init(capacity: Int = 16_384) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// The written bytes.
  var buffer: ByteBuffer {
    ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Appends the written bytes to a buffer.
  func write(to buffer: inout ByteBuffer) {
    buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// The number of bytes written.
  var length: Int { count }

  /// The written bytes, as an array.
  var array: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = moved
    capacity = larger
  }

  /// Text of the program, as it is.
  @inline(__always)
  mutating func raw(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    (bytes + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  /// JSON that is ready.
  mutating func raw(_ json: [UInt8]) {
    json.withUnsafeBytes { raw($0) }
  }

  /// JSON that is ready.
  mutating func raw(_ json: UnsafeRawBufferPointer) {
    guard let base = json.baseAddress else { return }
    reserve(json.count)
    UnsafeMutableRawPointer(bytes + count).copyMemory(from: base, byteCount: json.count)
    count += json.count
  }

  /// A string with its quotes.
  mutating func string(_ text: UnsafeRawBufferPointer, prefix: String = "") {
    raw("\"")
    escaped(text, prefix: prefix)
    raw("\"")
  }

  /// A string with its quotes.
  mutating func string(_ text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ string(UnsafeRawBufferPointer($0)) }) == nil {
      var copy = text
      copy.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }
  }

  /// A string, or `null`.
  mutating func string(_ text: String?) {
    if let text { string(text) } else { raw("null") }
  }

  /// A part of a string, without quotes.
  mutating func escaped(_ text: UnsafeRawBufferPointer, prefix: String = "") {
    if !prefix.isEmpty {
      var prefix = prefix
      prefix.withUTF8 { escaped(UnsafeRawBufferPointer($0)) }
    }
    guard let source = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    reserve(text.count * 6)
    var target = bytes + count
    var place = 0
    // Eight bytes at a time, as long as none of them needs escaping.
    while place + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard !Self.needsEscaping(word) else { break }
      UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt64.self)
      target += 8
      place += 8
    }
    while place < text.count {
      let byte = source[place]
      place += 1
      if byte >= 0x20, byte != 0x22, byte != 0x5C {
        target.pointee = byte
        target += 1
        continue
      }
      target.pointee = 0x5C
      switch byte {
      case 0x22, 0x5C: target[1] = byte
      case 0x0A: target[1] = 0x6E
      case 0x0D: target[1] = 0x72
      case 0x09: target[1] = 0x74
      default:
        target[1] = 0x75
        target[2] = 0x30
        target[3] = 0x30
        target[4] = Self.hex(byte >> 4)
        target[5] = Self.hex(byte & 15)
        target += 6
        continue
      }
      target += 2
    }
    count = target - bytes
  }

  /// Whether one of eight bytes is a control character, a quote or a backslash.
  @inline(__always)
  private static func needsEscaping(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    func hasZero(_ value: UInt64) -> UInt64 { (value &- ones) & ~value & highs }
    let controls = (word &- ones &* 0x20) & ~word & highs
    return controls | hasZero(word ^ ones &* 0x22) | hasZero(word ^ ones &* 0x5C) != 0
  }

  private static func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x57 + digit }

  /// A whole number.
  mutating func integer(_ value: Int) {
    reserve(20)
    if value < 0 {
      bytes[count] = 0x2D
      count += 1
    }
    var rest = value.magnitude
    var digits = 1
    var probe = rest
    while probe >= 10 {
      probe /= 10
      digits += 1
    }
    count += digits
    var place = count
    while digits > 0 {
      place -= 1
      digits -= 1
      bytes[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// A number with at most three places after the point.
  mutating func decimal(_ value: Double) {
    let thousandths = Int((value * 1_000).rounded())
    if thousandths < 0 { raw("-") }
    integer(Int(thousandths.magnitude) / 1_000)
    let rest = Int(thousandths.magnitude) % 1_000
    guard rest > 0 else { return }
    raw(".")
    digits(rest, 3)
  }

  /// Degrees with six places after the point.
  mutating func degrees(_ value: Double) {
    let millionths = Int((value * 1_000_000).rounded())
    if millionths < 0 { raw("-") }
    integer(Int(millionths.magnitude) / 1_000_000)
    raw(".")
    digits(Int(millionths.magnitude) % 1_000_000, 6)
  }

  /// A number of fixed width, with leading zeros.
  mutating func digits(_ value: Int, _ width: Int) {
    reserve(width)
    count += width
    var rest = value
    var place = count
    while place > count - width {
      place -= 1
      bytes[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
  }

  /// A truth value.
  mutating func flag(_ value: Bool) {
    if value { raw("true") } else { raw("false") }
  }

  /// A date without quotes, `2026-11-24`.
  mutating func date(daysSinceEpoch: Int) {
    let (year, month, day) = ServiceDate(daysSinceEpoch: daysSinceEpoch).components
    digits(year, 4)
    raw("-")
    digits(month, 2)
    raw("-")
    digits(day, 2)
  }

  /// A time without quotes, `07:02:00`.
  mutating func time(_ seconds: Int) {
    digits(seconds / 3600, max(2, seconds >= 360_000 ? 3 : 2))
    raw(":")
    digits(seconds / 60 % 60, 2)
    raw(":")
    digits(seconds % 60, 2)
  }

  /// An instant in UTC without quotes, `2026-11-24T07:02:00Z`.
  mutating func instant(_ seconds: Int64) {
    let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
    date(daysSinceEpoch: days)
    raw("T")
    time(Int(seconds) - days * 86_400)
    raw("Z")
  }

  /// An instant in UTC with milliseconds and quotes, as ``InstantText`` writes it.
  mutating func instant(fractional seconds: Double) {
    let milliseconds = InstantText.milliseconds(of: seconds)
    let rest = (milliseconds % 1_000 + 1_000) % 1_000
    raw("\"")
    instant((milliseconds - rest) / 1_000)
    count -= 1
    raw(".")
    digits(Int(rest), 3)
    raw("Z\"")
  }
}
