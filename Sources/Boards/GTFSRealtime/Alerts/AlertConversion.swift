import GTFS
import SwiftProtobuf

/// Turns a decoded alert message into a value, within limits.
struct AlertConversion {
  let limits: RealtimeLimits
  /// The offset of the entity in the feed, for faults.
  let offset: Int

  /// The alert of an entity.
  ///
  /// Selectors are read one by one: one whose trip has an unreadable `start_date` or `start_time` would match more than
  /// intended without it, and is left out and counted. An alert that loses all its selectors is rejected.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - rejectedSelectors: Is given a record of each selector that is left out.
  /// - Returns: The alert.
  /// - Throws: What is wrong with the entity, and where.
  func alert(
    _ entity: TransitRealtime_FeedEntity,
    rejectedSelectors: (WireFault) -> Void
  ) throws(WireFault) -> Alert {
    let message = entity.alert
    var alert = Alert(entityID: try text(entity.id, "id"))
    alert.activePeriods = try periods(message.activePeriod, "active_period")
    alert.communicationPeriods = try periods(message.communicationPeriod, "communication_period")
    alert.impactPeriods = try periods(message.impactPeriod, "impact_period")
    try check(message.informedEntity.count, "informed_entity")
    var firstRejected: WireFault?
    for (index, informed) in message.informedEntity.enumerated() {
      do throws(WireFault) {
        alert.informedEntities.append(try selector(informed, "alert.informed_entity[\(index)]"))
      } catch {
        guard [.invalidDate, .invalidTime].contains(error.cause) else { throw error }
        firstRejected = firstRejected ?? error
        rejectedSelectors(error)
      }
    }
    if let firstRejected, alert.informedEntities.isEmpty { throw firstRejected }
    if message.hasCause { alert.cause = .init(number: Int32(message.cause.rawValue)) }
    if message.hasEffect { alert.effect = .init(number: Int32(message.effect.rawValue)) }
    if message.hasSeverityLevel {
      alert.severity = .init(number: Int32(message.severityLevel.rawValue))
    }
    if let unknown = UnknownNumbers(message.unknownFields.data) {
      if let number = unknown[6], !message.hasCause { alert.cause = .unknown(number) }
      if let number = unknown[7], !message.hasEffect { alert.effect = .unknown(number) }
      if let number = unknown[14], !message.hasSeverityLevel { alert.severity = .unknown(number) }
    }
    alert.url = try message.hasURL ? translated(message.url, "url") : nil
    alert.header = try message.hasHeaderText ? translated(message.headerText, "header_text") : nil
    alert.text =
      try message.hasDescriptionText
      ? translated(message.descriptionText, "description_text") : nil
    alert.spokenHeader =
      try message.hasTtsHeaderText ? translated(message.ttsHeaderText, "tts_header_text") : nil
    alert.spokenText =
      try message.hasTtsDescriptionText
      ? translated(message.ttsDescriptionText, "tts_description_text") : nil
    alert.causeDetail =
      try message.hasCauseDetail ? translated(message.causeDetail, "cause_detail") : nil
    alert.effectDetail =
      try message.hasEffectDetail ? translated(message.effectDetail, "effect_detail") : nil
    if message.hasImage { alert.image = try image(message.image) }
    alert.imageAlternative =
      try message.hasImageAlternativeText
      ? translated(message.imageAlternativeText, "image_alternative_text") : nil
    return alert
  }

  /// The addresses of what is an image by its media type.
  private func image(_ message: TransitRealtime_TranslatedImage) throws(WireFault) -> TranslatedText
  {
    try check(message.localizedImage.count, "image")
    var addresses: [TranslatedText.Translation] = []
    for image in message.localizedImage where image.mediaType.lowercased().hasPrefix("image/") {
      let address = try text(
        image.url,
        "alert.image.localized_image.url",
        limit: limits.alertTextBytes
      )
      addresses.append(
        .init(
          text: address,
          language: image.language.isEmpty ? nil : try text(image.language, "image")
        )
      )
    }
    return TranslatedText(addresses)
  }

  private func periods(
    _ ranges: [TransitRealtime_TimeRange],
    _ name: String
  ) throws(WireFault) -> [ActivePeriod] {
    try check(ranges.count, name)
    return ranges.map { range in
      ActivePeriod(
        start: range.hasStart ? range.start : nil,
        end: range.hasEnd ? range.end : nil
      )
    }
  }

  private func selector(
    _ message: TransitRealtime_EntitySelector,
    _ path: String
  ) throws(WireFault) -> EntitySelector {
    EntitySelector(
      agencyID: try identifier(message.agencyID, "\(path).agency_id"),
      routeID: try identifier(message.routeID, "\(path).route_id"),
      routeType: message.hasRouteType ? message.routeType : nil,
      directionID: message.hasDirectionID ? message.directionID : nil,
      trip: message.hasTrip ? try trip(message.trip, "\(path).trip") : nil,
      stopID: try identifier(message.stopID, "\(path).stop_id")
    )
  }

  private func trip(
    _ message: TransitRealtime_TripDescriptor,
    _ path: String
  ) throws(WireFault) -> TripDescriptor {
    var trip = TripDescriptor(
      tripID: try identifier(message.tripID, "\(path).trip_id"),
      routeID: try identifier(message.routeID, "\(path).route_id"),
      directionID: message.hasDirectionID ? message.directionID : nil,
      originalTripID: try identifier(message.originalTripID, "\(path).original_trip_id")
    )
    if let date = try identifier(message.startDate, "\(path).start_date") {
      guard let day = ServiceDate(date) else {
        throw fault(.invalidDate, "a start_date that is not YYYYMMDD", "\(path).start_date")
      }
      trip.startDate = day
    }
    if let time = try identifier(message.startTime, "\(path).start_time") {
      guard case .seconds(let seconds) = Array(time.utf8).withUnsafeBytes({ TimeOfDay.read($0) })
      else {
        throw fault(.invalidTime, "a start_time that is not H:MM:SS", "\(path).start_time")
      }
      trip.startTime = seconds
    }
    if message.hasScheduleRelationship {
      trip.relationship = .init(number: Int32(message.scheduleRelationship.rawValue))
    } else if let number = UnknownNumbers(message.unknownFields.data)?[4] {
      trip.relationship = .unknown(number)
    }
    return trip
  }

  private func translated(
    _ message: TransitRealtime_TranslatedString,
    _ name: String
  ) throws(WireFault) -> TranslatedText {
    try check(message.translation.count, name)
    var translations: [TranslatedText.Translation] = []
    for translation in message.translation {
      let text = try text(
        translation.text,
        "alert.\(name).translation[\(translations.count)].text",
        limit: limits.alertTextBytes
      )
      translations.append(
        .init(
          text: text,
          language: translation.language.isEmpty ? nil : try self.text(translation.language, name)
        )
      )
    }
    return TranslatedText(translations)
  }

  private func identifier(_ text: String, _ path: String) throws(WireFault) -> String? {
    text.isEmpty ? nil : try self.text(text, path)
  }

  private func text(
    _ text: String,
    _ path: String,
    limit: Int? = nil
  ) throws(WireFault) -> String {
    let limit = limit ?? limits.textBytes
    guard text.utf8.count <= limit else {
      var fault = WireFault.textTooLong(text.utf8.count, limit, at: offset)
      fault.path = path
      throw fault
    }
    return text
  }

  private func check(_ count: Int, _ name: String) throws(WireFault) {
    guard count <= limits.alertElements else {
      throw fault(
        .limitExceeded,
        "\(count) elements; the most is \(limits.alertElements)",
        "alert.\(name)"
      )
    }
  }

  private func fault(
    _ cause: RejectedEntity.Cause,
    _ reason: String,
    _ path: String
  ) -> WireFault {
    var fault = WireFault(cause, reason, at: offset)
    fault.path = path
    return fault
  }
}
