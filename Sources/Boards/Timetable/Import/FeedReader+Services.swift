import GTFS

/// calendar.txt and calendar_dates.txt.
extension FeedReader {
  func readCalendar() throws(FeedError) {
    struct Columns {
      var id: Int
      var days: [Int]
      var start: Int
      var end: Int
    }
    try read(.calendar) { reader throws(FeedError) in
      var days: [Int] = []
      for day in [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
      ] {
        days.append(try reader.required(day))
      }
      return Columns(
        id: try reader.required("service_id"),
        days: days,
        start: try reader.required("start_date"),
        end: try reader.required("end_date")
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.id)
      guard id.count > 0, id.count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "service_id is blank or too long")
      }
      var weekdays: UInt8 = 0
      for (day, column) in columns.days.enumerated() {
        switch integer(reader, column) {
        case 0: continue
        case 1: weekdays |= 1 << UInt8(day)
        default:
          return Rejection(.value, column: column, reason: "\(shown(reader, column)) is not 0 or 1")
        }
      }
      guard let first = ServiceDate(calendar: reader.bytes(columns.start)) else {
        return Rejection(
          .value,
          column: columns.start,
          reason: "\(shown(reader, columns.start)) is not a date YYYYMMDD"
        )
      }
      guard let last = ServiceDate(calendar: reader.bytes(columns.end)) else {
        return Rejection(
          .value,
          column: columns.end,
          reason: "\(shown(reader, columns.end)) is not a date YYYYMMDD"
        )
      }
      guard first <= last else {
        return Rejection(.order, column: columns.end, reason: "end_date is before start_date")
      }
      guard try service(id, reader).isNew else {
        return Rejection(
          .duplicate,
          column: columns.id,
          reason: "service_id \(shown(reader, columns.id)) appears twice"
        )
      }
      tables.services[tables.services.count - 1].weekdays = weekdays
      tables.services[tables.services.count - 1].first = first
      tables.services[tables.services.count - 1].last = last
      return nil
    }
  }

  func readCalendarDates() throws(FeedError) {
    struct Columns {
      var id: Int
      var date: Int
      var type: Int
    }
    struct Exception: Hashable {
      var service: UInt32
      var date: ServiceDate
    }
    var seen = Set<Exception>()
    try read(.calendarDates) { reader throws(FeedError) in
      Columns(
        id: try reader.required("service_id"),
        date: try reader.required("date"),
        type: try reader.required("exception_type")
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.id)
      guard id.count > 0, id.count <= FeedLimits.textBytes else {
        return Rejection(.identifier, column: columns.id, reason: "service_id is blank or too long")
      }
      guard let date = ServiceDate(calendar: reader.bytes(columns.date)) else {
        return Rejection(
          .value,
          column: columns.date,
          reason: "\(shown(reader, columns.date)) is not a date YYYYMMDD"
        )
      }
      let type = integer(reader, columns.type)
      guard type == 1 || type == 2 else {
        return Rejection(
          .value,
          column: columns.type,
          reason: "exception_type \(shown(reader, columns.type)) is not 1 or 2"
        )
      }
      let number = Int(try service(id, reader).number)
      scratchBytes += 32
      tables.exceptionCount += 1
      if !seen.insert(Exception(service: UInt32(number), date: date)).inserted {
        warn(
          reader,
          columns.date,
          "the service has another exception on \(date); a removal counts"
        )
      }
      if type == 1 {
        tables.services[number].added.append(date)
      } else {
        tables.services[number].removed.append(date)
      }
      return nil
    }
  }

  /// Refuses a feed in which nothing ever runs, before the large files are read.
  func checkCalendar() throws(FeedError) {
    let runs = tables.services.contains { service in
      let removed = Set(service.removed)
      if service.added.contains(where: { !removed.contains($0) }) { return true }
      guard service.weekdays != 0, service.first <= service.last else { return false }
      var date = service.first
      while date <= service.last {
        if service.weekdays >> UInt8(date.weekday) & 1 == 1, !removed.contains(date) { return true }
        date = date + 1
      }
      return false
    }
    guard runs else {
      throw FeedError(
        .emptyCalendar,
        "calendar.txt, calendar_dates.txt: no service runs on any day" + rejections
      )
    }
  }

  private func service(
    _ id: UnsafeRawBufferPointer,
    _ reader: CSVReader
  ) throws(FeedError) -> (number: UInt32, isNew: Bool) {
    let result = withStored(id) { tables.serviceIds.insert($0) }
    if result.isNew {
      guard tables.services.count < FeedLimits.entities else {
        throw FeedError(.limitExceeded, "more than \(FeedLimits.entities) services")
      }
      var service = ServiceDays()
      service.file = FeedFile(rawValue: reader.file) ?? .calendar
      service.line = reader.line
      tables.services.append(service)
    }
    return result
  }
}
