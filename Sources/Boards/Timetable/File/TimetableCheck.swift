package import GTFS

extension Timetable {
  /// Walks the whole file and proves that every number in it points to something that exists and
  /// that every order a search relies on holds.
  ///
  /// - Throws: ``FeedError`` with code `damagedTimetable` that names the first thing that is wrong.
  package func check() throws(FeedError) {
    try checkTexts()
    try checkStops()
    try checkTrips()
    try checkDepartures()
    try checkTranslations()
    try checkContinuations()
  }

  private func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(FeedError) {
    guard condition else { throw FeedError(.damagedTimetable, "timetable: \(what())") }
  }

  private func require(
    starts: UnsafeBufferPointer<UInt32>,
    count: Int,
    end: Int,
    _ what: String
  ) throws(FeedError) {
    try require(starts.count == count + 1, "\(what): \(starts.count) starts for \(count)")
    try require(starts[0] == 0 && Int(starts[count]) == end, "\(what): the ends do not fit")
    var index = 0
    while index < count {
      try require(starts[index] <= starts[index + 1], "\(what): starts run backwards at \(index)")
      index += 1
    }
  }

  private var textCount: Int { image.textStarts.count - 1 }

  private func checkTexts() throws(FeedError) {
    try require(image.textStarts.count > 1, "there are no texts")
    try require(
      starts: image.textStarts,
      count: textCount,
      end: image.textBytes.count,
      "texts"
    )
    try require(image.textPlaces.count == textCount, "places of texts")
    for place in image.textPlaces {
      try require(Int(place) < textCount, "a text's place does not exist")
    }
    for agency in image.agencies {
      try require(max(agency.id, agency.name) < textCount, "an agency's text does not exist")
    }
    try require(!image.agencies.isEmpty, "there is no agency")
    for route in image.routes {
      let texts = max(route.id, route.shortName, route.longName)
      try require(Int(texts) < textCount, "a route's text does not exist")
      try require(
        route.agency == noRecord || Int(route.agency) < image.agencies.count,
        "a route's agency does not exist"
      )
    }
  }

  private func checkStops() throws(FeedError) {
    let count = stopCount
    for stop in image.stops {
      let texts = max(
        max(stop.id, stop.name, stop.platform),
        max(stop.zone, stop.code, stop.originalId)
      )
      try require(Int(texts) < textCount, "a stop's text does not exist")
      try require(stop.parent == noRecord || Int(stop.parent) < count, "a parent does not exist")
      try require(Int(stop.root) < count, "a station does not exist")
    }
    try require(image.stopsById.count == count, "the order of stops by id is not complete")
    for order in [image.stopsById, image.stopsByOriginalId] {
      for stop in order { try require(Int(stop) < count, "an ordered stop does not exist") }
    }
    var index = 1
    while index < count {
      let isOrdered = ByteOrder.precedes(
        id(of: image.stopsById[index - 1]),
        id(of: image.stopsById[index])
      )
      try require(isOrdered, "stop ids are not in order")
      index += 1
    }
    for (left, right) in zip(image.stopsByOriginalId, image.stopsByOriginalId.dropFirst()) {
      let order = ByteOrder.compare(
        image.text(image.stops[Int(left)].originalId),
        image.text(image.stops[Int(right)].originalId)
      )
      try require(order <= 0, "original stop ids are not in order")
    }
    for (left, right) in zip(image.stopNumbers, image.stopNumbers.dropFirst()) {
      try require(left.number < right.number, "Swiss station numbers are not in order")
    }
    for number in image.stopNumbers {
      try require(Int(number.stop) < count, "a numbered stop does not exist")
    }
    try require(
      starts: image.descendantStarts,
      count: count,
      end: image.descendants.count,
      "descendants"
    )
    for stop in image.descendants { try require(Int(stop) < count, "a descendant does not exist") }
  }

  private func checkTrips() throws(FeedError) {
    let places = image.patternStops.count
    try require(image.patternSequences.count == places, "stop sequences of patterns")
    try require(image.patternAttributes.count == places, "attributes of patterns")
    try require(image.patternHeadsigns.count == places, "headsigns of patterns")
    for pattern in image.patterns {
      try require(pattern.count > 0, "a pattern is empty")
      try require(Int(pattern.first) + Int(pattern.count) <= places, "a pattern ends too late")
    }
    for stop in image.patternStops {
      try require(Int(stop) < stopCount, "a pattern's stop does not exist")
    }
    for text in image.patternHeadsigns {
      try require(Int(text) < textCount, "a stop headsign does not exist")
    }
    let sets = image.daySets.count / max(1, image.daySetStride)
    for trip in image.trips {
      try require(Int(trip.pattern) < image.patterns.count, "a trip's pattern does not exist")
      let calls = Int(image.patterns[Int(trip.pattern)].count)
      try require(
        Int(trip.profile) + calls <= image.profileTimes.count,
        "a trip's profile ends too late"
      )
      try require(Int(trip.daySet) < sets, "a trip's days do not exist")
      try require(Int(trip.route) < routeCount, "a trip's route does not exist")
      try require(
        Int(max(trip.headsign, trip.shortName)) < textCount,
        "a trip's text does not exist"
      )
    }
    try require(
      starts: image.tripIdStarts,
      count: tripCount,
      end: image.tripIdBytes.count,
      "trip ids"
    )
    var trip = 1
    while trip < tripCount {
      let order = ByteOrder.compare(
        image.tripId(Trip(trip - 1)),
        image.tripId(Trip(trip))
      )
      let isOrdered =
        order < 0 || (order == 0 && image.trips[trip - 1].start < image.trips[trip].start)
      try require(isOrdered, "trip ids are not in order")
      trip += 1
    }
  }

  private func checkDepartures() throws(FeedError) {
    try require(
      starts: image.departureStarts,
      count: stopCount,
      end: image.departures.count,
      "departures"
    )
    for stop in 0..<stopCount {
      let slice = Int(image.departureStarts[stop])..<Int(image.departureStarts[stop + 1])
      var last: UInt64 = 0
      for place in slice {
        let entry = image.departures[place]
        try require(entry.key >= last, "the departures of a stop are not in order")
        last = entry.key
        try require(
          Int(entry.time) <= metadata.latestTime,
          "a departure is later than the latest one"
        )
        try require(Int(entry.trip) < tripCount, "a departure's trip does not exist")
        let record = image.trips[Int(entry.trip)]
        let pattern = image.patterns[Int(record.pattern)]
        try require(entry.position < Int(pattern.count), "a departure's stop does not exist")
        let spot = Int(pattern.first) + entry.position
        try require(Int(image.patternStops[spot]) == stop, "a departure is at another stop")
        let time = image.profileTimes[Int(record.profile) + entry.position].departure
        try require(Int64(record.start) + Int64(time) == entry.time, "a departure's time differs")
      }
    }
  }

  private func checkTranslations() throws(FeedError) {
    for (left, right) in zip(image.translations, image.translations.dropFirst()) {
      try require(!TranslationRecord.precedes(right, left), "translations are not in order")
    }
    for translation in image.translations {
      try require(
        Int(max(translation.language, translation.text)) < textCount,
        "a translation's text does not exist"
      )
    }
  }

  private func checkContinuations() throws(FeedError) {
    let count = image.continuations.count
    try require(image.continuationsByTarget.count == count, "continuations by their second trip")
    for record in image.continuations {
      try require(
        Int(max(record.from, record.to)) < tripCount,
        "a trip of a continuation does not exist"
      )
      try require(
        ContinuationRecord.Flags.all.isSuperset(of: record.flags),
        "a continuation has unknown flags"
      )
    }
    for (left, right) in zip(image.continuations, image.continuations.dropFirst()) {
      try require(left.from <= right.from, "continuations are not in order")
    }
    for number in image.continuationsByTarget {
      try require(Int(number) < count, "an ordered continuation does not exist")
    }
    for (left, right) in zip(image.continuationsByTarget, image.continuationsByTarget.dropFirst()) {
      let (first, second) = (image.continuations[Int(left)], image.continuations[Int(right)])
      try require(
        (first.to, left) < (second.to, right),
        "continuations by their second trip are not in order"
      )
    }
  }
}
