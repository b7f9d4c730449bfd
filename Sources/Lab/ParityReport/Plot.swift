/// Draws figures as inline SVG: without scripts, colors by class.
enum Plot {
  /// A line to draw.
  struct Series {
    /// The class for its color.
    var style: String
    /// Where and how much.
    var points: [(x: Double, y: Double)]
    /// Whether the points are joined.
    var isJoined = true
  }

  private static let width = 680.0
  private static let height = 180.0
  private static let left = 56.0
  private static let bottom = 24.0
  private static let top = 8.0
  /// The maximum number of points of a series; of more, the minimum and maximum of each section are
  /// drawn.
  private static let mostPoints = 600

  /// Returns a plot over time.
  ///
  /// - Parameters:
  ///   - title: The description, for screen readers.
  ///   - series: The series; x in seconds, y in seconds.
  ///   - limits: Dashed lines at these heights.
  /// - Returns: An svg element.
  static func overTime(_ title: String, _ series: [Series], limits: [Double] = []) -> String {
    let points = series.flatMap(\.points)
    let longest = max(points.map(\.x).max() ?? 1, 0.001)
    // A limit far above everything would flatten the series.
    let most = max(points.map(\.y).max() ?? 1, 0.001)
    let drawn = limits.filter { $0 <= most * 2 }
    let highest = nice(max(most, drawn.max() ?? 0) * 1.05)
    func x(_ value: Double) -> String { place(left + value / longest * (width - left - 8)) }
    func y(_ value: Double) -> String {
      place(top + (1 - max(value, 0) / highest) * (height - top - bottom))
    }
    var svg = open(title)
    for step in 0...4 {
      let value = highest * Double(step) / 4
      svg +=
        "<line class=\"grid\" x1=\"\(place(left))\" x2=\"\(place(width - 8))\" y1=\"\(y(value))\""
      svg += " y2=\"\(y(value))\"/><text class=\"y\" x=\"\(place(left - 6))\" y=\"\(y(value))\">"
      svg += "\(short(value))</text>"
    }
    for step in 0...4 {
      let value = longest * Double(step) / 4
      svg +=
        "<text class=\"x\(step == 4 ? " end" : "")\" x=\"\(x(value))\" y=\"\(place(height - 6))\">\(time(value))</text>"
    }
    for limit in drawn {
      svg +=
        "<line class=\"limit\" x1=\"\(place(left))\" x2=\"\(place(width - 8))\" y1=\"\(y(limit))\""
      svg += " y2=\"\(y(limit))\"/>"
    }
    for line in series {
      let points = thinned(line.points)
      if line.isJoined {
        let path = points.map { "\(x($0.x)),\(y($0.y))" }.joined(separator: " ")
        svg += "<polyline class=\"\(line.style)\" points=\"\(path)\"/>"
      } else {
        for point in points {
          svg +=
            "<circle class=\"\(line.style)\" cx=\"\(x(point.x))\" cy=\"\(y(point.y))\" r=\"2\"/>"
        }
      }
    }
    return svg + "</svg>"
  }

  /// Returns a histogram of several distributions, side by side.
  static func histogram(
    _ title: String,
    _ distributions: [(style: String, figures: Distribution)],
    word: (Int64) -> String
  ) -> String {
    let count = 24
    let greatest = max(distributions.compactMap(\.figures.greatest).max() ?? 1, 1)
    var svg = open(title)
    let room = (width - left - 8) / Double(count)
    let bar = room * 0.9 / Double(max(distributions.count, 1))
    for (index, entry) in distributions.enumerated() {
      // All share the maximum, so that the bars are at the same positions.
      let parts = entry.figures.count == 0 ? [] : Self.parts(entry.figures, count, greatest)
      let most = Double(parts.max() ?? 1)
      for (part, number) in parts.enumerated() where number > 0 {
        let size = Double(number) / most * (height - top - bottom)
        let x = left + Double(part) * room + Double(index) * bar
        svg += "<rect class=\"\(entry.style)\" x=\"\(place(x))\" width=\"\(place(bar))\""
        svg += " y=\"\(place(height - bottom - size))\" height=\"\(place(size))\"><title>\(number)"
        svg += "</title></rect>"
      }
    }
    for step in 0...4 {
      let value = Double(greatest) * Double(step) / 4
      let x = left + (width - left - 8) * Double(step) / 4
      svg +=
        "<text class=\"x\(step == 4 ? " end" : "")\" x=\"\(place(x))\" y=\"\(place(height - 6))\">"
      svg += "\(PageText.escaped(word(Int64(value))))</text>"
    }
    return svg + "</svg>"
  }

  private static func parts(
    _ figures: Distribution,
    _ count: Int,
    _ greatest: Int64
  ) -> [Int] {
    var parts = [Int](repeating: 0, count: count)
    for value in figures.values {
      let place = Double(max(value, 0)) / Double(greatest) * Double(count)
      parts[min(Int(place), count - 1)] += 1
    }
    return parts
  }

  private static func open(_ title: String) -> String {
    "<svg role=\"img\" aria-label=\"\(PageText.escaped(title))\""
      + " viewBox=\"0 0 \(Int(width)) \(Int(height))\">"
  }

  /// Keeps the minimum and the maximum of each section, so that no peak is lost.
  private static func thinned(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    guard points.count > mostPoints else { return points }
    let stretch = (points.count + mostPoints / 2 - 1) / (mostPoints / 2)
    var kept: [(x: Double, y: Double)] = []
    for start in stride(from: 0, to: points.count, by: stretch) {
      let part = points[start..<min(start + stretch, points.count)]
      let ends = [part.min { $0.y < $1.y }, part.max { $0.y < $1.y }].compactMap { $0 }
      kept += ends.sorted { $0.x < $1.x }
    }
    return kept
  }

  /// Returns the next of 1, 2, 4, 5 or 10 times a power of ten.
  private static func nice(_ value: Double) -> Double {
    var scale = 1.0
    while scale < value { scale *= 10 }
    while scale / 10 >= value, scale > 1e-9 { scale /= 10 }
    return [0.1, 0.2, 0.4, 0.5].map { $0 * scale }.first { $0 >= value } ?? scale
  }

  private static func place(_ value: Double) -> String { Figures.decimal(value, places: 1) }

  private static func short(_ seconds: Double) -> String {
    seconds >= 10 || seconds == 0
      ? "\(Figures.decimal(seconds, places: 0)) s" : "\(Figures.decimal(seconds, places: 1)) s"
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 120 ? short(seconds) : Figures.span(Int64(seconds * 1_000))
  }
}
