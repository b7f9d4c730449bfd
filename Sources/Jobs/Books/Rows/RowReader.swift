/// Reads the rows of one file into books.
package struct RowReader: Sendable {
  /// The content of a row.
  package enum Row: Sendable {
    /// Nothing in it.
    case blank
    /// A book, with warnings.
    case book(BookRecord, [RowProblem])
    /// No book, for the first of these problems.
    case failed([RowProblem], title: String)
  }

  /// Which column says what.
  package let map: ColumnMap
  let limits: ImportLimits
  /// How columns are read that can be read in several ways.
  let survey: ColumnSurvey

  /// Creates a reader.
  package init(
    map: ColumnMap,
    limits: ImportLimits = ImportLimits(),
    survey: ColumnSurvey = ColumnSurvey()
  ) {
    self.map = map
    self.limits = limits
    self.survey = survey
  }

  /// Examines the dates and ratings of a record.
  func survey(_ record: DelimitedRecord, _ survey: inout ColumnSurvey) {
    guard record.fault == nil else { return }
    // The services that are known give five stars.
    if map.source == .generic {
      for position in map.positions(.rating) where record.isFilled(position) {
        survey.ratings.add(CellText.plain(record.text(position)), column: position)
      }
    }
    for column in [BookColumn.added, .started, .finished, .stopped, .readingPeriods] {
      for position in map.positions(column) where record.isFilled(position) {
        let text = CellText.plain(record.text(position))
        guard column == .readingPeriods else {
          survey.dates.add(text, column: position)
          continue
        }
        for period in CellText.list(text, separators: ",") {
          for date in CellText.list(period, separators: "-") {
            survey.dates.add(date, column: position)
          }
        }
      }
    }
  }

  /// Reads a record.
  package func read(_ record: DelimitedRecord) -> Row {
    if let fault = record.fault {
      let beginning = String(decoding: record.bytes.prefix(RowProblem.longestValue), as: UTF8.self)
      let code: RowProblem.Code =
        switch fault {
        case .unclosedQuote: .quoteUnclosed
        case .tooLong: .rowTooLong
        case .tooManyFields: .columnCount
        }
      return .failed([RowProblem(code, value: beginning)], title: "")
    }
    if record.isBlank { return .blank }
    var row = RowCells(record: record, reader: self)
    if record.isRepaired { row.warn(.quoteRepaired) }
    let width = map.columns.count
    let isShort = record.count < width && map.source != .generic
    if isShort || (width..<max(width, record.count)).contains(where: record.isFilled) {
      row.fail(.columnCount, value: "\(record.count) instead of \(width)")
      return .failed(row.errors, title: "")
    }
    let book = row.book()
    guard row.errors.isEmpty else { return .failed(row.errors + row.warnings, title: book.title) }
    return .book(book, row.warnings)
  }
}
