/// An agency, a route type, or both, as an alert names them.
struct AlertScope: Hashable, Sendable {
  /// agency_id; `nil` if the alert does not say.
  var agency: String?
  /// route_type; `nil` if the alert does not say.
  var type: Int?
  /// The classes of routes it means, ascending.
  var classes: [UInt32]

  /// The classes of a timetable that an agency and a type mean.
  ///
  /// - Throws: Why an alert has no usable selectors.
  init(
    agency: String?,
    type: Int?,
    in directory: AlertDirectory
  ) throws(AlertCounters.Reason) {
    self.agency = agency
    self.type = type
    func numbers(_ matches: (AlertDirectory.RouteClass) -> Bool) -> [UInt32] {
      directory.classes.indices.filter { matches(directory.classes[$0]) }.map { UInt32($0) }
    }
    let ofAgency = numbers { agency == nil || $0.agency == agency }
    guard !ofAgency.isEmpty else { throw .unknownAgency }
    let ofType = numbers { routeClass in
      type.map { RouteTypeScope.contains($0, routeClass.type) } ?? true
    }
    guard !ofType.isEmpty else { throw .unknownRouteType }
    classes = ofAgency.filter(ofType.contains)
    guard !classes.isEmpty else { throw .contradiction }
  }

  /// Whether a class of routes is meant.
  func contains(_ routeClass: UInt32) -> Bool { classes.contains(routeClass) }
}
