extension NetworkPlan {
  /// Writes the files that do not depend on trips.
  func writeStatic(to directory: String) throws(SampleError) -> [SampleSummary.File] {
    [
      try self.writeAgencies(to: directory), try self.writeStops(to: directory),
      try self.writeRoutes(to: directory), try self.writeTransfers(to: directory),
      try self.writeTranslations(to: directory), try self.writeFeedInfo(to: directory),
    ]
  }

  /// Writes the services that trips run on, by the week and by exceptions.
  func writeCalendar(
    to directory: String,
    used: [Bool]
  ) throws(SampleError) -> [SampleSummary.File] {
    var weeks = try FeedFile(
      named: "calendar.txt",
      in: directory,
      header: "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,"
        + "end_date"
    )
    var dates = try FeedFile(
      named: "calendar_dates.txt",
      in: directory,
      header: "service_id,date,exception_type"
    )
    for (service, isUsed) in zip(self.calendar.services, used) where isUsed {
      if service.weekdays != 0 {
        let days = (0..<7).map { service.weekdays >> UInt8($0) & 1 == 1 ? "1" : "0" }
        let bounds = [service.validity.lowerBound, service.validity.upperBound]
        try weeks.append(
          row: [service.identifier] + days + bounds.map { SampleDay.digits(ofOrdinal: $0) }
        )
      }
      for day in service.added.union(service.removed).sorted() {
        try dates.append(row: [
          service.identifier, SampleDay.digits(ofOrdinal: day),
          service.added.contains(day) ? "1" : "2",
        ])
      }
    }
    return [try weeks.finish(), try dates.finish()]
  }

  private func writeAgencies(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "agency.txt",
      in: directory,
      header: "agency_id,agency_name,agency_url,agency_timezone,agency_lang"
    )
    for agency in Agency.allCases {
      try file.append(row: [
        agency.rawValue, agency.name, agency.address, "Europe/Zurich", agency.language.rawValue,
      ])
    }
    return try file.finish()
  }

  private func writeStops(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "stops.txt",
      in: directory,
      header: "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code,"
        + "original_stop_id,wheelchair_boarding"
    )
    for (index, stop) in self.landscape.stops.enumerated() {
      let isKnown = index < Stop.known.count
      try file.append(stop: stop, wheelchair: isKnown ? "1" : ["0", "1", "1", "2"][index % 4])
    }
    return try file.finish()
  }

  private func writeRoutes(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "routes.txt",
      in: directory,
      header: "route_id,agency_id,route_short_name,route_long_name,route_desc,route_type,"
        + "route_color,route_text_color"
    )
    let withTrips = Set(zip(self.patterns, self.budget.trips).filter { $1 > 0 }.map(\.0.line))
    for (index, line) in self.lines.enumerated() where withTrips.contains(index) {
      let ends = [line.calls[0].stop, line.calls[line.calls.count - 1].stop]
      let names = ends.map { self.landscape.stops[$0].name }
      let isNamed = line.kind == .boat || line.kind == .intercity || line.kind == .funicular
      try file.append(row: [
        line.identifier, line.agency.rawValue, line.label,
        isNamed ? names.joined(separator: " – ") : "", line.kind.description,
        String(line.kind.type), line.colour, line.textColour,
      ])
    }
    return try file.finish()
  }

  private func writeTransfers(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "transfers.txt",
      in: directory,
      header: "from_stop_id,to_stop_id,transfer_type,min_transfer_time"
    )
    let pairs = [
      (8_501_120, 8_501_120, 300), (8_501_120, 8_592_050, 240), (8_592_050, 8_501_120, 240),
      (8_501_008, 8_501_008, 300), (8_501_008, 8_587_907, 240), (8_587_907, 8_501_008, 240),
      (8_503_000, 8_503_000, 420), (8_503_000, 8_587_349, 300), (8_587_349, 8_503_000, 300),
      (8_507_000, 8_507_000, 360), (8_507_000, 8_571_396, 300), (8_571_396, 8_507_000, 300),
      (8_506_302, 8_574_095, 180), (8_574_095, 8_506_302, 180), (8_504_300, 8_576_391, 180),
      (8_576_391, 8_504_300, 180), (8_591_999, 8_501_073, 300), (8_501_073, 8_591_999, 300),
    ]
    for (from, to, seconds) in pairs {
      guard let first = self.landscape.known[from], let second = self.landscape.known[to] else {
        continue
      }
      try file.append(row: [
        self.landscape.stops[first].identifier, self.landscape.stops[second].identifier, "2",
        String(seconds),
      ])
    }
    return try file.finish()
  }

  /// A text that differs from that of any feed with other bytes.
  private var version: String {
    "\(self.options.day.digits)-\(self.landscape.stops.count)-\(self.budget.stopTimes)-"
      + String(self.options.seed)
  }

  private func writeFeedInfo(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "feed_info.txt",
      in: directory,
      header: "feed_publisher_name,feed_publisher_url,feed_lang,default_lang,feed_start_date,"
        + "feed_end_date,feed_version"
    )
    let days = self.calendar.validity
    try file.append(row: [
      "Freshet sample network", "https://example.org/", "mul", "fr",
      SampleDay.digits(ofOrdinal: days.lowerBound), SampleDay.digits(ofOrdinal: days.upperBound),
      self.version,
    ])
    return try file.finish()
  }
}
