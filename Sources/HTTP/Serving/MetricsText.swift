package import FreshResponses

/// Writes measurements in the text format that Prometheus reads, version 0.0.4.
package struct MetricsText: Sendable {
  /// What kind of number a measurement is.
  package enum Kind: String, Sendable {
    /// A number that only grows while the program runs.
    case counter
    /// A number that goes up and down.
    case gauge
  }

  /// The media type of the format.
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The written text.
  package private(set) var text = ""

  /// Starts without a measurement.
  package init() {}

  /// Writes a measurement and its values, if there are any.
  ///
  /// - Parameters:
  ///   - name: The name, with its unit: `freshet_realtime_index_seconds`.
  ///   - kind: The kind of number.
  ///   - help: Its meaning, in one sentence without its period.
  ///   - values: Each value, with its labels. An unknown value is left out.
  package mutating func add(
    _ name: String,
    _ kind: Kind,
    _ help: String,
    _ values: [(labels: [(String, String)], value: Double?)]
  ) {
    guard values.contains(where: { $0.value != nil }) else { return }
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in values {
      if let value { line(name, labels, value) }
    }
  }

  /// Writes a measurement with one value and no labels.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
    add(name, kind, help, [(labels: [], value: value)])
  }

  /// Writes a measurement of durations, if there are any.
  ///
  /// - Parameters:
  ///   - name: The name, with its unit.
  ///   - help: Its meaning, in one sentence without its period.
  ///   - values: Each histogram, with its labels.
  package mutating func addHistogram(
    _ name: String,
    _ help: String,
    _ values: [(labels: [(String, String)], histogram: Histogram)]
  ) {
    guard !values.isEmpty else { return }
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) histogram\n"
    for (labels, histogram) in values {
      var count: UInt64 = 0
      for (bound, added) in zip(Histogram.bounds + [.infinity], histogram.counts) {
        count += added
        line("\(name)_bucket", labels + [("le", Self.number(bound))], Double(count))
      }
      line("\(name)_sum", labels, histogram.sum)
      line("\(name)_count", labels, Double(count))
    }
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
      text += "{\(list.joined(separator: ","))}"
    }
    text += " \(Self.number(value))\n"
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    let whole = value.rounded(.towardZero)
    return whole == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
