/// The distribution of a line's trips over services.
enum ServiceMix: Sendable {
  /// Every day the same.
  case daily
  /// Working days, Saturdays, Sundays.
  case weekly
  /// Like weekly, with trips for schools and long breaks.
  case rural
  /// Like weekly, with another timetable from some day on.
  case split
  /// Working days at busy hours only.
  case peaks
  /// School days only.
  case school
  /// Friday and Saturday nights.
  case nights
  /// Every night.
  case nightly
  /// Only on dates listed one by one.
  case dates

  /// A part of a mix.
  struct Share: Sendable {
    let kind: Service.Kind
    /// The trips beside those of a working day.
    let weight: Double
    /// The minutes after midnight between which trips begin.
    let window: ClosedRange<Int>

    init(_ kind: Service.Kind, _ weight: Double, _ window: ClosedRange<Int>) {
      self.kind = kind
      self.weight = weight
      self.window = window
    }
  }

  var shares: [Share] {
    switch self {
    case .daily: [Share(.daily, 1, 290...1440)]
    case .weekly:
      [
        Share(.weekday, 1, 300...1460), Share(.saturday, 0.8, 320...1480),
        Share(.sunday, 0.65, 350...1420),
      ]
    case .rural:
      [
        Share(.weekday, 1, 340...1380), Share(.saturday, 0.6, 370...1360),
        Share(.sunday, 0.5, 400...1300), Share(.school, 0.25, 400...1040),
      ]
    case .split:
      [
        Share(.firstPart, 1, 300...1440), Share(.secondPart, 1, 300...1440),
        Share(.saturday, 0.8, 330...1440), Share(.sunday, 0.6, 360...1380),
      ]
    case .peaks: [Share(.weekday, 1, 360...1140)]
    case .school: [Share(.school, 1, 400...1040)]
    case .nights: [Share(.nights, 1, 1420...1680)]
    case .nightly: [Share(.daily, 1, 1440...1680)]
    case .dates: [Share(.dates, 1, 480...1260)]
    }
  }

  /// The trips of all services for each trip of a working day.
  var weight: Double { self.shares.reduce(0) { $0 + $1.weight } }

  /// Divides trips among the services.
  ///
  /// A handful of trips is not divided, so that they run as often as possible: on the service with
  /// the most days.
  func divide(trips: Int) -> [(share: Share, trips: Int)] {
    let shares = self.shares
    guard trips >= 3 * shares.count else {
      switch self {
      case .weekly, .rural, .split: return [(Share(.daily, 1, 330...1320), trips)]
      case .daily, .peaks, .school, .nights, .nightly, .dates: return [(shares[0], trips)]
      }
    }
    var left = trips
    var parts: [(share: Share, trips: Int)] = []
    for share in shares.dropFirst() {
      let part = Int(Double(trips) * share.weight / self.weight)
      left -= part
      parts.append((share, part))
    }
    return [(shares[0], left)] + parts
  }
}
