import GTFS

/// translations.txt.
extension FeedReader {
  private struct Columns {
    var table: Int
    var field: Int
    var language: Int
    var translation: Int
    var record: Int?
    var value: Int?
  }

  /// The columns of a row as it was before 2020: any text with its translation, whatever field it is in.
  private struct EarlierColumns {
    var text: Int
    var language: Int
    var translation: Int
  }

  private enum Form {
    case present(Columns)
    case earlier(EarlierColumns)
  }

  func readTranslations() throws(FeedError) {
    try read(.translations) { reader throws(FeedError) in
      if reader.column("table_name") == nil, let text = reader.column("trans_id") {
        return Form.earlier(
          EarlierColumns(
            text: text,
            language: try reader.required("lang"),
            translation: try reader.required("translation")
          )
        )
      }
      return .present(try columns(reader))
    } row: { [self] reader, form in
      switch form {
      case .present(let columns): translate(reader, columns)
      case .earlier(let columns): translate(reader, columns)
      }
    }
    tables.translations.sort(by: TranslationRecord.precedes)
  }

  /// Adds a translation of a text, for every field that boards show.
  private func translate(_ reader: CSVReader, _ columns: EarlierColumns) -> Rejection? {
    guard reader.bytes(columns.text).count > 0 else {
      return Rejection(.blank, column: columns.text, reason: "trans_id is blank")
    }
    let language = text(reader, columns.language)
    guard language != 0 else {
      return Rejection(.blank, column: columns.language, reason: "lang is blank")
    }
    // A text that no other file has is in a field that boards do not show.
    guard let key = find(reader.bytes(columns.text), in: tables.texts) else { return nil }
    let translated = text(reader, columns.translation)
    for field in [TranslatedField.stopName, .tripHeadsign, .stopHeadsign, .routeLongName] {
      tables.translations.append(
        TranslationRecord(field: field.rawValue, key: key, language: language, text: translated)
      )
    }
    return nil
  }

  private func columns(_ reader: CSVReader) throws(FeedError) -> Columns {
    Columns(
      table: try reader.required("table_name"),
      field: try reader.required("field_name"),
      language: try reader.required("language"),
      translation: try reader.required("translation"),
      record: reader.column("record_id"),
      value: reader.column("field_value")
    )
  }

  /// Adds a translation of a field of one record, or of all that have a value.
  private func translate(_ reader: CSVReader, _ columns: Columns) -> Rejection? {
    guard let field = field(reader, columns) else { return nil }
    let language = text(reader, columns.language)
    guard language != 0 else {
      return Rejection(.blank, column: columns.language, reason: "language is blank")
    }
    let translated = text(reader, columns.translation)
    if reader.bytes(columns.record).count > 0 {
      // A single stop time of a trip is not something boards keep a text for.
      guard field != .stopHeadsign else { return nil }
      guard let number = record(reader, columns.record, field) else {
        warn(reader, columns.record, "\(shown(reader, columns.record)) is not in the feed")
        return nil
      }
      tables.translations.append(
        TranslationRecord(
          // A trip's headsign is translated wherever it is shown.
          field: field == .tripHeadsign ? field.rawValue : field.byRecord,
          key: number,
          language: language,
          text: translated
        )
      )
    } else {
      let value = text(reader, columns.value)
      guard value != 0 else {
        return Rejection(
          .blank,
          column: columns.value,
          reason: "record_id and field_value are blank"
        )
      }
      tables.translations.append(
        TranslationRecord(field: field.rawValue, key: value, language: language, text: translated)
      )
    }
    return nil
  }

  /// The field a row translates; `nil` for fields that no board shows.
  private func field(_ reader: CSVReader, _ columns: Columns) -> TranslatedField? {
    let table = String(decoding: reader.bytes(columns.table), as: UTF8.self)
    let field = String(decoding: reader.bytes(columns.field), as: UTF8.self)
    return switch (table, field) {
    case ("stops", "stop_name"): .stopName
    case ("trips", "trip_headsign"): .tripHeadsign
    case ("stop_times", "stop_headsign"): .stopHeadsign
    case ("routes", "route_long_name"): .routeLongName
    default: nil
    }
  }

  /// The number of the record a row translates.
  private func record(_ reader: CSVReader, _ column: Int?, _ field: TranslatedField) -> UInt32? {
    let id = reader.bytes(column)
    return switch field {
    case .stopName: find(id, in: tables.stopIds)
    case .tripHeadsign:
      find(id, in: tables.trips.ids)
        .map { tables.trips.headsigns[Int($0)] }
    case .stopHeadsign: nil
    case .routeLongName: find(id, in: tables.routeIds)
    }
  }
}
