/// Formats numbers for people.
package enum Quantity {
  /// Returns 1234567 as `1,234,567`.
  package static func count(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits, at: 0)
    return (number < 0 ? "-" : "") + groups.joined(separator: ",")
  }

  /// Returns `1 file`, or `1,234 files`.
  package static func files(_ number: Int) -> String {
    number == 1 ? "1 file" : "\(count(number)) files"
  }

  /// Returns bytes in a suitable unit, such as `250.3 MB`.
  package static func bytes(_ count: Int) -> String {
    var value = Double(count)
    for unit in ["B", "kB", "MB"] {
      if value < 1000 { return unit == "B" ? "\(count) B" : "\(tenths(value)) \(unit)" }
      value /= 1000
    }
    return "\(tenths(value)) GB"
  }

  /// Returns a number, without a decimal point if it is whole.
  package static func plain(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  /// Returns a number with one decimal place.
  package static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
