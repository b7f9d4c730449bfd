import Foundation

/// The bytes of a board that a person could see.
///
/// Clocks, ages, request ids and what is said of the source's last answers are left out. The server writes
/// the members in one order, so equal contents are equal bytes.
enum VisibleBytes {
  private static let left: Set<[UInt8]> = Set(
    [
      "serverTime", "requestId", "totalBackendMs", "rtFetchedAt", "rtLastPollAt", "rtCacheAgeMs",
      "rtPollAgeMs", "alertsFetchedAt", "alertsCacheAgeMs", "nextExpectedAt",
      "nextExpectedQuantile",
      "nextExpectedSpreadMs", "entityTag",
      "importedAt", "fetchedAt", "cacheFetchedAt", "cacheAgeMs", "ageMs", "ageSeconds",
      "lastPollAt",
      "lastSuccessfulPollAt", "pollAgeMs", "pollAgeSeconds", "payloadBytes", "lastError",
      "realtimeAt", "window", "tripUpdates", "matched", "added", "withoutEffect",
    ].map { Array($0.utf8) }
  )

  /// Leaves the values of those members out.
  static func of(_ json: [UInt8]) -> [UInt8] {
    json.withUnsafeBytes { bytes in
      var seen: [UInt8] = []
      seen.reserveCapacity(bytes.count)
      var kept = 0
      var place = 0
      while let start = quote(in: bytes, from: place), let end = closing(in: bytes, from: start + 1)
      {
        place = end + 1
        guard place < bytes.count, bytes[place] == UInt8(ascii: ":"),
          left.contains(Array(bytes[start + 1..<end]))
        else { continue }
        seen.append(contentsOf: bytes[kept...place])
        kept = value(in: bytes, from: place + 1)
        place = kept
      }
      seen.append(contentsOf: bytes[kept...])
      return seen
    }
  }

  private static func quote(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int? {
    guard place < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + place, 0x22, bytes.count - place)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private static func closing(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int? {
    var place = place
    while let end = quote(in: bytes, from: place) {
      var slashes = 0
      while end - slashes > 0, bytes[end - slashes - 1] == UInt8(ascii: "\\") { slashes += 1 }
      if slashes % 2 == 0 { return end }
      place = end + 1
    }
    return nil
  }

  /// The place behind a value: a text, an object without texts that hold brackets, or anything short.
  private static func value(in bytes: UnsafeRawBufferPointer, from place: Int) -> Int {
    if bytes[place] == UInt8(ascii: "\"") {
      return (closing(in: bytes, from: place + 1) ?? bytes.count - 1) + 1
    }
    let ends: [UInt8] =
      bytes[place] == UInt8(ascii: "{")
      ? [UInt8(ascii: "}")] : [UInt8(ascii: ","), UInt8(ascii: "}")]
    var end = place
    while end < bytes.count, !ends.contains(bytes[end]) { end += 1 }
    return bytes[place] == UInt8(ascii: "{") ? end + 1 : end
  }
}
