/// Which routes a route_type of an alert means, basic or extended (GTFS reference, Google's extension).
///
/// A basic type means the extended types that belong to it, an extended class (a whole hundred) every
/// type in it and its basic type. A type within a class means only itself: 102 (long-distance trains)
/// says nothing of a route that is just 2 (rail).
enum RouteTypeScope {
  /// Whether a selector of a type means routes of another one.
  static func contains(_ selected: Int, _ type: Int) -> Bool {
    if selected == type { return true }
    if selected < 100 { return basic(type) == selected }
    guard selected % 100 == 0 else { return selected == 405 && type == 12 }
    if type >= 100 { return type / 100 == selected / 100 }
    return classes(of: type).contains(selected)
  }

  /// The basic type that an extended type belongs to; `nil` if it belongs to none.
  private static func basic(_ type: Int) -> Int? {
    switch type {
    case 100...199, 300...399: 2
    case 200...299, 700...799: 3
    case 405: 12
    case 400...499, 500...599, 600...699: 1
    case 800...899: 11
    case 900...999: 0
    case 1000...1099, 1200...1299: 4
    case 1300...1399: 6
    case 1400...1499: 7
    default: nil
    }
  }

  /// The extended classes that mean the same as a basic type.
  private static func classes(of basic: Int) -> [Int] {
    switch basic {
    case 0: [900]
    case 1: [400, 500, 600]
    case 2: [100]
    case 3: [700]
    case 4: [1000, 1200]
    case 6: [1300]
    case 7: [1400]
    case 11: [800]
    default: []
    }
  }
}
