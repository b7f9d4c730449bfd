extension Timetable {
  /// agency_name of every agency, in the order of the file.
  package var agencyNames: [String] {
    image.agencies.map { String(decoding: image.text($0.name), as: UTF8.self) }
  }

  /// The agency_id of every agency that has one, in the order of the file.
  package var agencyIds: [String] {
    image.agencies.map { String(decoding: image.text($0.id), as: UTF8.self) }.filter { !$0.isEmpty }
  }

  /// agency_id of a route's agency, by the route's place in routes.txt; `nil` if the route has none.
  package func agencyId(ofRoute number: Int) -> String? {
    let agency = image.routes[number].agency
    guard agency != noRecord else { return nil }
    return String(decoding: image.text(image.agencies[Int(agency)].id), as: UTF8.self)
  }
}
