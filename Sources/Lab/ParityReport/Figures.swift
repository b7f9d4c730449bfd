/// Formats numbers, the same way everywhere.
package enum Figures {
  /// Milliseconds, as `850 ms`, `15.2 s`, `3 min 5 s` or `2 h 10 min`.
  package static func span(_ milliseconds: Int64) -> String {
    let size = milliseconds.magnitude
    let sign = milliseconds < 0 ? "−" : ""
    switch size {
    case ..<1_000: return "\(sign)\(size) ms"
    case ..<60_000: return "\(sign)\(decimal(Double(size) / 1_000, places: 1)) s"
    case ..<3_600_000: return "\(sign)\(size / 60_000) min \(size % 60_000 / 1_000) s"
    default: return "\(sign)\(size / 3_600_000) h \(size % 3_600_000 / 60_000) min"
    }
  }

  /// Milliseconds with a fraction.
  package static func span(_ milliseconds: Double?) -> String {
    milliseconds.map { span(Int64($0.rounded())) } ?? "–"
  }

  /// Milliseconds that may be unknown.
  package static func span(_ milliseconds: Int64?) -> String {
    milliseconds.map { span($0) } ?? "–"
  }

  /// Bytes, as `512 B`, `12.3 kB` or `4.5 MB`.
  package static func bytes(_ count: Int64) -> String {
    switch count {
    case ..<1_000: "\(count) B"
    case ..<1_000_000: "\(decimal(Double(count) / 1_000, places: 1)) kB"
    default: "\(decimal(Double(count) / 1_000_000, places: 1)) MB"
    }
  }

  /// A share in percent, with one decimal place where it is not whole.
  package static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    let text = decimal(Double(part) * 100 / Double(whole), places: 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
  }

  /// A number and its noun, as `1 line` or `3 lines`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A decimal number.
  package static func decimal(_ number: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = (number.magnitude * scale).rounded()
    guard scaled < 9e15 else { return "∞" }
    let whole = Int64(scaled / scale)
    let rest = Int64(scaled) - whole * Int64(scale)
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let digits = String(rest)
    return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.count) + digits
  }

  /// An instant, as `2026-11-24T07:00:00.123Z`.
  package static func instant(_ milliseconds: Int64) -> String {
    let (days, rest) = milliseconds.quotientAndRemainderFloored(by: 86_400_000)
    // The civil date of a day number (Gregorian, from March 1st of the year 0).
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let ordinal = day - (365 * year + year / 4 - year / 100)
    let month = (5 * ordinal + 2) / 153
    let civil = (month < 10 ? month + 3 : month - 9)
    let parts = [
      pad(year + era * 400 + (civil <= 2 ? 1 : 0), 4), pad(civil, 2),
      pad(ordinal - (153 * month + 2) / 5 + 1, 2),
    ]
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { pad($0, 2) }
    return parts.joined(separator: "-") + "T" + time.joined(separator: ":")
      + "." + pad(rest % 1_000, 3) + "Z"
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}

extension Int64 {
  /// Quotient and remainder; the remainder is never below zero.
  fileprivate func quotientAndRemainderFloored(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
