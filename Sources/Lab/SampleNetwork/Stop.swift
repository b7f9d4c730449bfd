/// A station or a plain stop, with the platforms it has.
struct Stop: Sendable {
  /// The rows a stop takes in `stops.txt`.
  enum Shape: Sendable {
    /// A railway station or pier: a parent, a child without a platform, and the platforms.
    case station([String])
    /// A local stop: a parent and its platforms.
    case local([String])
    /// A stop of one row.
    case plain
  }

  let number: Int
  let name: String
  /// The latitude in millionths of a degree.
  let latitude: Int
  /// The longitude in millionths of a degree.
  let longitude: Int
  let shape: Shape
  let language: Language

  /// The identifier of the row that represents the whole stop.
  var identifier: String {
    switch self.shape {
    case .station, .local: "Parent\(self.number)"
    case .plain: String(self.number)
    }
  }

  /// The identifier where a line calls, chosen among the platforms by a random number from 0.
  ///
  /// One number in thirteen at a station gives the child without a platform, as in timetables whose
  /// platforms are not yet planned.
  func callIdentifier(random: Int) -> String {
    switch self.shape {
    case .station(let platforms):
      if platforms.isEmpty || random % 13 == 12 { return String(self.number) }
      return "\(self.number):0:\(platforms[random % platforms.count])"
    case .local(let platforms): return "\(self.number):0:\(platforms[random % platforms.count])"
    case .plain: return String(self.number)
    }
  }

  /// The Swiss location number of a platform, or of the whole stop.
  func sloid(platform: String?) -> String {
    let base = self.number / 100_000 == 85 || self.number / 100_000 == 86 ? 8_500_000 : 0
    let stop = "ch:1:sloid:\(self.number - base)"
    return platform.map { "\(stop):0:\($0)" } ?? stop
  }
}

extension FeedFile {
  /// Writes the rows of a stop: the parent first, then its children.
  mutating func append(stop: Stop, wheelchair: String) throws(SampleError) {
    var platforms: [String] = []
    var hasChildWithoutPlatform = false
    switch stop.shape {
    case .station(let codes):
      platforms = codes
      hasChildWithoutPlatform = true
    case .local(let codes): platforms = codes
    case .plain: break
    }
    let isPlain = platforms.isEmpty && !hasChildWithoutPlatform
    let parent = stop.identifier
    let latitude = Stop.degrees(stop.latitude)
    let longitude = Stop.degrees(stop.longitude)
    try self.append(row: [
      parent, stop.name, latitude, longitude, isPlain ? "" : "1", "", "",
      stop.sloid(platform: nil), wheelchair,
    ])
    if hasChildWithoutPlatform {
      try self.append(row: [
        String(stop.number), stop.name, latitude, longitude, "", parent, "",
        stop.sloid(platform: nil), wheelchair,
      ])
    }
    for (index, code) in platforms.enumerated() {
      try self.append(row: [
        "\(stop.number):0:\(code)", stop.name, Stop.degrees(stop.latitude + 60 * (index + 1)),
        longitude, "", parent, code, stop.sloid(platform: code), wheelchair,
      ])
    }
  }
}

extension Stop {
  /// Millionths of a degree as a decimal number of degrees.
  static func degrees(_ millionths: Int) -> String {
    let fraction = String(millionths % 1_000_000)
    return
      "\(millionths / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
  }
}
