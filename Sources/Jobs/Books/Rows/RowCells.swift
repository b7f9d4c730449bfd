/// The cells of one row on their way to a book, and what is wrong with them.
struct RowCells {
  let record: DelimitedRecord
  let reader: RowReader
  private(set) var errors: [RowProblem] = []
  private(set) var warnings: [RowProblem] = []

  init(record: DelimitedRecord, reader: RowReader) {
    self.record = record
    self.reader = reader
  }

  private var map: ColumnMap { reader.map }

  mutating func fail(_ code: RowProblem.Code, at column: Int? = nil, value: String = "") {
    errors.append(RowProblem(code, column: column.map { map.header[$0] } ?? "", value: value))
  }

  mutating func warn(
    _ code: RowProblem.Code,
    at column: Int? = nil,
    value: String = "",
    proposal: String? = nil
  ) {
    let name = column.map { map.header[$0] } ?? ""
    warnings.append(RowProblem(code, column: name, value: value, proposal: proposal))
  }

  /// The first filled cell with a meaning.
  private func cell(_ column: BookColumn) -> (position: Int, text: String)? {
    for position in map.positions(column) where record.isFilled(position) {
      let text = CellText.plain(record.text(position))
      if !text.isEmpty { return (position, text) }
    }
    return nil
  }

  private func line(_ column: BookColumn) -> String? {
    cell(column).map { CellText.onOneLine($0.text) }
  }

  private func paragraphs(_ column: BookColumn) -> String? {
    cell(column).map { CellText.paragraphs($0.text) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func book() -> BookRecord {
    var book = BookRecord(title: "")
    readTitle(into: &book)
    readAuthors(into: &book)
    readISBN(into: &book)
    // A library may have books of which only the number is known.
    let isNumberAlone = map.source == .freshet && book.isbn != nil
    if book.title.isEmpty, !map.positions(.title).isEmpty, !isNumberAlone {
      fail(.titleMissing, at: map.positions(.title)[0])
    } else if book.title.isEmpty, book.isbn == nil, errors.isEmpty {
      // A list of ISBNs alone: a row without one has something else in it.
      fail(.titleMissing)
    }
    guard errors.isEmpty else { return book }
    if book.authors.isEmpty, !book.title.isEmpty { warn(.authorMissing) }
    book.publisher = line(.publisher)
    book.format = line(.format)
    book.language = line(.language)
    book.openLibrary = line(.openLibrary)
    if let entry = line(.entry) { book.entry = entry }
    if let series = line(.series) { book.series = series }
    book.pages = number(.pages, 1...100_000)
    book.year = year(.year)
    book.firstYear = year(.firstYear)
    book.readCount = number(.readCount, 0...10_000)
    readOwned(into: &book)
    readRating(into: &book)
    book.review = paragraphs(.review)
    book.notes = paragraphs(.notes)
    readDates(into: &book)
    readShelves(into: &book)
    return book
  }

  private mutating func readTitle(into book: inout BookRecord) {
    guard let (position, text) = cell(.title) else { return }
    guard text.utf8.count <= reader.limits.titleBytes else {
      fail(.titleTooLong, at: position, value: text)
      return
    }
    let parts = SeriesTitle(CellText.onOneLine(text))
    book.title = parts.title
    book.series = parts.series
    book.seriesNumber = parts.number
  }

  private mutating func readAuthors(into book: inout BookRecord) {
    var names: [String] = []
    for position in map.positions(.author) {
      names += self.names(record.text(position))
    }
    for position in map.positions(.otherAuthors) {
      names += self.names(record.text(position), isFurther: true)
    }
    if names.count > 1 {
      var known: Set<String> = []
      names = names.filter { known.insert($0).inserted }
    }
    names.removeAll(where: \.isEmpty)
    book.authors = limited(names, map.positions(.author).first)
  }

  /// The names in a cell; how they are separated depends on the service.
  private func names(_ cell: String, isFurther: Bool = false) -> [String] {
    let text = CellText.plain(cell)
    switch map.source {
    case .freshet: return NameList.names(text, separator: NameList.authors)
    case .goodreads where !isFurther: return [CellText.onOneLine(text)]
    case .goodreads, .storyGraph, .bookWyrm: return CellText.list(text, separators: ",")
    case .libraryThing:
      return CellText.list(text, separators: "|;").map(BookKey.inOrder)
    case .generic:
      return CellText.list(text, separators: ";|").flatMap { name in
        let parts = CellText.list(name, separators: ",")
        // "Herbert, Frank" is one name, "Frank Herbert, Brian Herbert" are two.
        return parts.count == 2 && !parts[0].contains(" ") ? [BookKey.inOrder(name)] : parts
      }
    }
  }

  private mutating func limited(_ list: [String], _ column: Int?) -> [String] {
    guard list.count > reader.limits.listElements else { return list }
    warn(.listTooLong, at: column, value: "\(list.count)")
    return Array(list.prefix(reader.limits.listElements))
  }

  // MARK: ISBN

  private mutating func readISBN(into book: inout BookRecord) {
    var numbers: [(isbn: ISBN, column: Int)] = []
    var broken: [(fault: ISBNCell.Break, column: Int, text: String)] = []
    for column in [BookColumn.isbn13, .isbn10, .isbn] {
      for position in map.positions(column) where record.isFilled(position) {
        let text = record.text(position)
        for part in column == .isbn ? Self.parts(text) : [text] {
          switch ISBNCell(part) {
          case .empty: break
          case .number(let isbn): numbers.append((isbn, position))
          case .repaired(let isbn, let repair):
            numbers.append((isbn, position))
            warn(
              repair == .leadingZeros ? .isbnZerosRestored : .isbnNotationRepaired,
              at: position,
              value: part
            )
          case .placeholder: warn(.isbnPlaceholder, at: position, value: part)
          case .other(let text):
            // StoryGraph has one column for ISBNs and for its own identifiers.
            if map.source == .storyGraph {
              book.entry = text
            } else {
              warn(.isbnIgnored, at: position, value: text)
            }
          case .broken(.length) where map.source == .storyGraph:
            // Its identifiers may be numbers.
            book.entry = CellText.withoutBrackets(part)
          case .broken(let fault): broken.append((fault, position, part))
          }
        }
      }
    }
    guard let first = numbers.first else {
      if let fault = broken.first { readBroken(fault.fault, fault.column, fault.text, into: &book) }
      return
    }
    book.isbn = first.isbn
    for fault in broken { warn(.isbnBrokenUnused, at: fault.column, value: fault.text) }
    if let other = numbers.first(where: { $0.isbn != first.isbn }) {
      warn(.isbnMismatch, at: other.column, value: other.isbn.description)
    }
  }

  /// Reports a broken number: the book gets no number and keeps the text; without a title the row fails.
  private mutating func readBroken(
    _ fault: ISBNCell.Break,
    _ column: Int,
    _ cell: String,
    into book: inout BookRecord
  ) {
    let text = CellText.onOneLine(CellText.plain(cell))
    guard !book.title.isEmpty || !map.positions(.title).isEmpty else {
      fail(Self.code(fault), at: column, value: text)
      return
    }
    let proposal = fault == .checksum ? ISBN.corrected(CellText.withoutBrackets(text)) : nil
    warn(Self.code(fault), at: column, value: text, proposal: proposal?.description)
    book.isbnText = String(text.prefix(Self.longestNumber))
  }

  /// The most characters that are kept of an invalid number.
  private static let longestNumber = 40

  /// The numbers in a cell that may have several.
  private static func parts(_ cell: String) -> [String] {
    let text = CellText.withoutBrackets(cell)
    guard text.utf8.contains(where: ",;|".utf8.contains) else { return [text] }
    // A comma in a short number is a decimal comma.
    let parts = CellText.list(text, separators: ",;|")
    return parts.allSatisfy { $0.utf8.count >= 8 } ? parts : [text]
  }

  private static func code(_ fault: ISBNCell.Break) -> RowProblem.Code {
    switch fault {
    case .checksum: .isbnChecksum
    case .length: .isbnLength
    case .prefix: .isbnPrefix
    case .music: .isbnMusic
    case .excelDamage: .isbnExcelDamaged
    }
  }

  // MARK: Numbers

  private mutating func number(_ column: BookColumn, _ range: ClosedRange<Int>) -> Int? {
    guard let (position, text) = cell(column) else { return nil }
    let digits = Substring(text.utf8.prefix { 0x30...0x39 ~= $0 })
    let rest = text[digits.endIndex...]
    // "590 p." is a number of pages, "590.0" has been through a spreadsheet.
    let isPlain = rest.isEmpty || rest.first == " " || rest == ".0"
    guard isPlain, let number = Int(digits) else {
      warn(.numberUnreadable, at: position, value: text)
      return nil
    }
    if number == 0, range.lowerBound > 0 { return nil }
    guard range.contains(number) else {
      warn(.numberUnreadable, at: position, value: text)
      return nil
    }
    return number
  }

  private mutating func year(_ column: BookColumn) -> Int? {
    guard let (position, cell) = cell(column) else { return nil }
    let text = CellText.withoutBrackets(cell)
    var plain = text
    if plain.hasSuffix(".0") { plain.removeLast(2) }
    if let year = Int(plain), -5_000...2_200 ~= year { return year == 0 ? nil : year }
    // "c1999", "May 1999": the first four digits in a row.
    var run = ""
    for character in text + " " {
      if character.isASCII, character.isNumber {
        run.append(character)
        continue
      }
      if run.count == 4, let year = Int(run), 1_000...2_200 ~= year { return year }
      run = ""
    }
    if !text.isEmpty { warn(.numberUnreadable, at: position, value: text) }
    return nil
  }

  private mutating func readOwned(into book: inout BookRecord) {
    guard let (_, text) = cell(.owned) else { return }
    switch text.lowercased() {
    case "yes", "true", "y": book.owned = 1
    case "no", "false", "n": book.owned = 0
    default: book.owned = number(.owned, 0...10_000)
    }
  }

  private mutating func readRating(into book: inout BookRecord) {
    guard let (position, text) = cell(.rating) else { return }
    switch RatingCell(text, scale: reader.survey.ratings.scale(of: position)) {
    case .none: break
    case .quarters(let quarters): book.rating = quarters
    case .unreadable: warn(.ratingUnreadable, at: position, value: text)
    }
  }

  // MARK: Dates and shelves

  private mutating func date(_ column: BookColumn) -> BookDate? {
    guard let (position, text) = cell(column) else { return nil }
    return date(text, at: position)
  }

  private mutating func date(_ text: String, at position: Int) -> BookDate? {
    let dates = reader.survey.dates
    switch BookDate.read(
      text,
      order: dates.order(of: position),
      countsSeconds: dates.countsSeconds(position)
    ) {
    case .empty: return nil
    case .date(let date): return date
    case .serial(let date):
      warn(.dateFromSerial, at: position, value: text)
      return date
    case .epoch(let date):
      warn(.dateFromEpoch, at: position, value: text)
      return date
    case .ambiguous: warn(.dateAmbiguous, at: position, value: text)
    case .unreadable: warn(.dateUnreadable, at: position, value: text)
    }
    return nil
  }

  private mutating func readDates(into book: inout BookRecord) {
    book.added = date(.added)
    book.started = date(.started)
    book.finished = date(.finished)
    guard let (position, text) = cell(.readingPeriods) else { return }
    let periods =
      map.source == .freshet
      ? ReadingPeriod.list(text)
      : CellText.list(text, separators: ",").compactMap { period($0, at: position) }
    guard let last = periods.last else { return }
    book.started = book.started ?? last.started
    book.finished = book.finished ?? last.finished
    // One alone is what the dates say already.
    if periods.count > 1 {
      book.readings = Array(periods.suffix(reader.limits.listElements))
      if periods.count > book.readings.count {
        warn(.listTooLong, at: position, value: "\(periods.count)")
      }
    }
  }

  /// A period such as `2023/01/02-2023/01/20`; one date alone is the end.
  private mutating func period(_ text: String, at position: Int) -> ReadingPeriod? {
    let ends = text.contains("/") ? CellText.list(text, separators: "-") : [text]
    guard ends.count == 1 || ends.count == 2 else {
      warn(.dateUnreadable, at: position, value: text)
      return nil
    }
    let started = ends.count == 2 ? date(ends[0], at: position) : nil
    let finished = date(ends[ends.count - 1], at: position)
    guard started != nil || finished != nil else { return nil }
    return ReadingPeriod(started: started, finished: finished)
  }

  private mutating func readShelves(into book: inout BookRecord) {
    var shelves: [String] = []
    if let word = line(.status) {
      book.status = ReadingStatus(word: word)
      if book.status == nil { shelves.append(word) }
    }
    for position in map.positions(.shelves) {
      let text = record.text(position)
      let words =
        map.source == .freshet
        ? NameList.names(CellText.plain(text), separator: NameList.shelves)
        : CellText.list(CellText.plain(text), separators: ",;")
      for shelf in words {
        if let status = ReadingStatus(word: shelf) {
          book.status = book.status ?? status
        } else if !shelves.contains(shelf) {
          shelves.append(shelf)
        }
      }
    }
    if book.status == nil {
      if book.finished != nil {
        book.status = .read
      } else if date(.stopped) != nil {
        book.status = .abandoned
      }
    }
    book.shelves = limited(shelves, map.positions(.shelves).first)
  }
}
