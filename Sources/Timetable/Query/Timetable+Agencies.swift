extension Timetable {
  /// agency_id of a route's agency, by the route's place in routes.txt; `nil` if the route has none.
  package func agencyId(ofRoute number: Int) -> String? {
    let agency = image.routes[number].agency
    guard agency != noRecord else { return nil }
    return String(decoding: image.text(image.agencies[Int(agency)].id), as: UTF8.self)
  }
}
