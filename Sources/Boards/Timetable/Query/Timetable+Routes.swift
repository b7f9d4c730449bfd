/// A route as the feed describes it.
package struct RouteDescription: Hashable, Sendable {
  /// route_id.
  package var id: String
  /// route_short_name; empty if the feed gives none.
  package var shortName: String
  /// route_long_name; empty if the feed gives none.
  package var longName: String
  /// agency_name; empty if the route has no agency.
  package var agency: String
  /// route_type, also an extended one.
  package var type: Int
  /// route_color and route_text_color as 0xRRGGBB.
  package var color: UInt32?
  /// See ``color``.
  package var textColor: UInt32?

  /// Describes a route.
  package init(
    id: String,
    shortName: String,
    longName: String,
    agency: String,
    type: Int,
    color: UInt32? = nil,
    textColor: UInt32? = nil
  ) {
    self.id = id
    self.shortName = shortName
    self.longName = longName
    self.agency = agency
    self.type = type
    self.color = color
    self.textColor = textColor
  }
}

extension Timetable {
  /// A route, by its place in routes.txt.
  package func route(_ number: Int) -> RouteDescription {
    let record = image.routes[number]
    func string(_ text: UInt32) -> String { String(decoding: image.text(text), as: UTF8.self) }
    return RouteDescription(
      id: string(record.id),
      shortName: string(record.shortName),
      longName: string(record.longName),
      agency: record.agency == noRecord
        ? "" : string(image.agencies[Int(record.agency)].name),
      type: Int(record.type),
      color: record.color == noRecord ? nil : record.color,
      textColor: record.textColor == noRecord ? nil : record.textColor
    )
  }

  /// The platform of a stop, from platform_code or its Swiss id; `nil` if neither gives one.
  package func platform(of stop: Stop) -> String? {
    let code = platformCode(of: stop)
    if code.count > 0 { return String(decoding: code, as: UTF8.self) }
    return SwissStopId.platform(String(decoding: id(of: stop), as: UTF8.self))
  }
}

extension Timetable {
  /// route_id of a route.
  package func routeId(_ number: Int) -> UnsafeRawBufferPointer {
    image.text(image.routes[number].id)
  }

  /// route_id of a trip's route.
  package func routeId(of trip: Trip) -> UnsafeRawBufferPointer {
    image.text(image.routes[Int(image.trips[Int(trip)].route)].id)
  }
}
