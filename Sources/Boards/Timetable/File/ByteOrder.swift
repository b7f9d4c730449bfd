#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The order of ids: byte by byte, a prefix before what it begins.
enum ByteOrder {
  /// Whether one id sorts before another.
  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    compare(left, right) < 0
  }

  /// Negative, zero or positive as the left id sorts before, equals, or sorts after the right.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
      let order = memcmp(first, second, shared)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
