import ConditionalHTTP
import StrictJSON

extension DecodeField {
  /// Reads a string.
  ///
  /// Numbers and Booleans are converted.
  ///
  /// - Returns: The string, or `nil` if the field is absent or holds a list or an object.
  public func string() -> String? {
    if isText { return text }
    switch scalar {
    case .string(let text): return text
    case .whole, .decimal, .bool:
      report(.converted, .warning, "\(scalar?.kind ?? "") is taken as text")
      return scalar?.description
    case .list, .object:
      refuse("a string")
      return nil
    case nil, .null: return nil
    }
  }

  /// Reads a string, or a string member of an object, for fields that some writers fill with a
  /// whole object.
  ///
  /// - Parameter names: The members that may hold the string, the best first.
  /// - Returns: The string, or `nil` if no member holds one.
  public func string(orMember names: [String]) -> String? {
    guard case .object? = scalar else { return string() }
    for name in names {
      guard case .string(let text)? = member(name)?.scalar else { continue }
      report(.converted, .warning, "an object is taken by its \"\(name)\"")
      return text
    }
    refuse("a string")
    return nil
  }

  /// Reads a whole number.
  ///
  /// Strings with numbers are converted, fractions rounded to the nearest (a half away from zero),
  /// numbers out of bounds clamped.
  ///
  /// - Parameter bounds: The valid range.
  /// - Returns: The number, or `nil` if the field is absent or does not hold one.
  public func int(in bounds: ClosedRange<Int> = .min ... .max) -> Int? {
    if case .whole(let number)? = scalar, let small = Int(exactly: number), bounds.contains(small) {
      return small
    }
    guard let number = number() else { return nil }
    let whole: Int
    if let exact = Int(exactly: number) {
      whole = exact
    } else if let near = Int(exactly: number.rounded()) {
      report(.rounded, .warning, "\(number) is rounded to \(near)")
      whole = near
    } else {
      report(.invalid, .loss, "\(number) is too large")
      return nil
    }
    guard !bounds.contains(whole) else { return whole }
    let near = min(max(whole, bounds.lowerBound), bounds.upperBound)
    report(.clamped, .warning, "\(whole) is moved to \(near)")
    return near
  }

  /// Reads a number.
  ///
  /// Strings with numbers are converted, numbers out of bounds clamped.
  ///
  /// - Parameter bounds: The valid range.
  /// - Returns: The number, or `nil` if the field is absent or does not hold one.
  public func double(in bounds: ClosedRange<Double>? = nil) -> Double? {
    guard let number = number() else { return nil }
    guard let bounds, !bounds.contains(number) else { return number }
    let near = min(max(number, bounds.lowerBound), bounds.upperBound)
    report(.clamped, .warning, "\(number) is moved to \(near)")
    return near
  }

  /// Reads a fraction from 0 to 1, or a percentage: a number over 1.5 and up to 100 counts as one,
  /// and is reported.
  ///
  /// - Returns: The fraction, or `nil` if the field is absent or does not hold one.
  public func fraction() -> Double? {
    guard let number = number() else { return nil }
    if number > 1.5, number <= 100 {
      report(.converted, .warning, "\(number) is taken as percent")
      return number / 100
    }
    guard !(0...1).contains(number) else { return number }
    let near = min(max(number, 0), 1)
    report(.clamped, .warning, "\(number) is moved to \(near)")
    return near
  }

  /// Reads a Boolean.
  ///
  /// 0 and 1, and strings such as `true`, `no` and `0` are converted.
  ///
  /// - Returns: The Boolean, or `nil` if the field is absent or does not hold one.
  public func bool() -> Bool? {
    let flag: Bool?
    switch scalar {
    case .bool(let flag): return flag
    case .whole(0): flag = false
    case .whole(1): flag = true
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes", "1": flag = true
      case "false", "no", "0": flag = false
      default: flag = nil
      }
    case nil, .null: return nil
    default: flag = nil
    }
    if let flag {
      report(.converted, .warning, "\(scalar?.kind ?? "") is taken as \(flag)")
    } else {
      refuse("a boolean")
    }
    return flag
  }

  /// Reads an instant: a string by RFC 3339, a date alone (its start in UTC), or a number since
  /// 1970, in seconds or, from 100,000,000,000 on, in milliseconds.
  ///
  /// - Returns: Milliseconds since 1970-01-01T00:00:00Z, or `nil` if the field is absent or does
  ///   not hold an instant.
  public func instant() -> Int64? {
    switch scalar {
    case nil, .null: return nil
    case .string(let text):
      if let seconds = InstantText.read(text) { return Int64((seconds * 1_000).rounded()) }
      if text.utf8.count == 10, let seconds = InstantText.read(text + "T00:00:00Z") {
        report(.converted, .warning, "a date is taken as its first moment in UTC")
        return Int64((seconds * 1_000).rounded())
      }
      guard let number = Double(text), let instant = Self.instant(number) else {
        report(.invalid, .loss, "\(quoted(text)) is not an instant")
        return nil
      }
      report(.converted, .warning, "text is taken as a number")
      return instant
    case .whole, .decimal:
      guard let number = scalar?.double, let instant = Self.instant(number) else {
        report(.invalid, .loss, "\(scalar?.description.prefix(40) ?? "") is not an instant")
        return nil
      }
      return instant
    case .bool, .list, .object:
      refuse("an instant")
      return nil
    }
  }

  private static func instant(_ number: Double) -> Int64? {
    // As milliseconds, the least is in 1973; as seconds, the greatest is in the year 5138.
    guard number.isFinite, number > 0, number < 1e14 else { return nil }
    return Int64((number >= 1e11 ? number : number * 1_000).rounded())
  }

  /// Reads two numbers such as `45/50`.
  ///
  /// - Returns: Both, or `nil` if the field is absent or holds something else.
  public func ratio() -> (part: Int, whole: Int)? {
    guard case .string(let text)? = scalar else {
      refuse("a text like 45/50")
      return nil
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let part = Int(parts[0].filter { $0 != " " }),
      let whole = Int(parts[1].filter { $0 != " " }), part >= 0, whole >= part
    else {
      report(.invalid, .loss, "\(quoted(text)) is not a part of a whole")
      return nil
    }
    return (part, whole)
  }

  /// Reads a value of an enumeration that may have new cases; an unknown value is a note and is
  /// kept.
  ///
  /// - Parameter known: The enumeration.
  /// - Returns: The value, or `nil` if the field is absent or does not hold a string.
  @inlinable
  public func open<Known>(_ known: Known.Type) -> OpenEnum<Known>? {
    guard let text = string() else { return nil }
    let value = OpenEnum<Known>(rawValue: text)
    if case .unknown = value {
      report(.unknownValue, .note, "\(quoted(text)) is not known here")
    } else if value.rawValue != text {
      report(.converted, .note, "\(quoted(text)) is taken as \(value.rawValue)")
    }
    return value
  }

  /// Returns a finite number, or the number in a string.
  private func number() -> Double? {
    switch scalar {
    case nil, .null: return nil
    case .whole(let number): return Double(number)
    case .decimal(let text):
      guard let number = scalar?.double else {
        report(.invalid, .loss, "\(text.prefix(log.limits.quoted)) is too large")
        return nil
      }
      return number
    case .string(let text):
      let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
      guard isNumber, let number = Double(text), number.isFinite else {
        report(.wrongKind, .loss, "\(quoted(text)) found where a number is expected")
        return nil
      }
      report(.converted, .warning, "text is taken as a number")
      return number
    case .bool, .list, .object:
      refuse("a number")
      return nil
    }
  }
}
