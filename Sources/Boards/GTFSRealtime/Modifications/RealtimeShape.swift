/// The path of trips that run along another one than the timetable says (`Shape`, experimental in the reference).
package struct RealtimeShape: Hashable, Sendable {
  /// `shape_id`.
  package var id = ""
  /// `encoded_polyline`, in the
  /// [encoded polyline format](https://developers.google.com/maps/documentation/utilities/polylinealgorithm).
  package var polyline = ""

  /// Creates a shape without points.
  package init() {}

  /// Whether the polyline has at least two points, all of them places on Earth.
  package var isUsable: Bool {
    var bytes = Array(polyline.utf8)[...]
    var (latitude, longitude): (Int64, Int64) = (0, 0)
    var points = 0
    while !bytes.isEmpty {
      guard let north = Self.number(&bytes), let east = Self.number(&bytes) else { return false }
      latitude += north
      longitude += east
      guard abs(latitude) <= 90 * Self.degree, abs(longitude) <= 180 * Self.degree else {
        return false
      }
      points += 1
    }
    return points >= 2
  }

  /// A degree in the unit of the format.
  private static let degree: Int64 = 100_000
  /// The most characters of a number of ±360 degrees.
  private static let longestNumber = 6

  /// Reads a number: 5 bits of each character, the lowest first, and the sign in the lowest bit; `nil` if it is not one.
  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for place in 0..<longestNumber {
      guard let byte = bytes.popFirst(), (63...126).contains(byte) else { return nil }
      let bits = Int64(byte - 63)
      value |= (bits & 0x1F) << (5 * Int64(place))
      if bits & 0x20 == 0 { return value & 1 == 0 ? value >> 1 : ~(value >> 1) }
    }
    return nil
  }
}
