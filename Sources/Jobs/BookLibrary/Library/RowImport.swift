import Books

/// Brings the rows of an import into the rows of a library.
struct RowImport<Rows: LibraryRows> {
  let file: ImportFile
  let rows: Rows

  /// Stores the rows that are not done yet.
  func store(_ pending: [PendingRow], _ state: inout ImportState) throws -> [RowReport] {
    var reports: [RowReport] = []
    for pending in pending where pending.row.number > state.rowsDone {
      let (report, book) = try store(pending)
      try rows.add(report, book: book)
      state.add(report)
      reports.append(report)
    }
    return reports
  }

  private func store(_ pending: PendingRow) throws -> (RowReport, Int64?) {
    let row = pending.row
    var report = RowReport(row: row.number, line: row.line, outcome: .blank)
    switch row.content {
    case .blank: return (report, nil)
    case .failed(let problems, let title):
      report.outcome = .failed
      report.problems = problems
      report.title = title
      report.raw = row.raw
      return (report, nil)
    case .book(let book, let warnings):
      report.problems = warnings
      report.title = book.title
      report.author = book.authors.first ?? ""
      report.isbn = book.isbn
      report.entry = book.entry(in: file.scope)
      if let earlier = pending.duplicateOf {
        let id = try storeDuplicate(book, of: earlier, &report)
        return (report, id)
      }
      let id = try store(book, &report)
      return (report, id)
    }
  }

  private func source(of report: RowReport) -> BookSource? {
    file.scope.flatMap { scope in report.entry.map { BookSource(scope: scope, entry: $0) } }
  }

  /// Stores a book that an earlier row of the file has already.
  private func storeDuplicate(
    _ book: BookRecord,
    of earlier: Int,
    _ report: inout RowReport
  ) throws -> Int64? {
    report.outcome = .duplicate
    report.duplicateOf = earlier
    guard let id = try rows.book(ofRow: earlier), var stored = try rows.book(id) else { return nil }
    let names = book.differences(from: stored)
    if !names.isEmpty {
      report.problems.append(RowProblem(.duplicateDiffers, value: names.joined(separator: ", ")))
    }
    // Another book may have the number already.
    var other = book
    if stored.isbn == nil, let isbn = book.isbn, try rows.id(isbn: isbn) != nil { other.isbn = nil }
    if stored.complete(with: other) { try rows.update(id, stored) }
    if let source = source(of: report), try rows.said(by: source) == nil {
      try rows.keep(SourceRecord(book: id, said: book, isMade: false), by: source)
    }
    return id
  }

  /// Stores a book that the file has not had yet.
  private func store(_ book: BookRecord, _ report: inout RowReport) throws -> Int64 {
    let source = source(of: report)
    let search = BookSearch(
      rows: rows,
      book: book,
      source: source,
      entries: file.entries,
      isOfLibrary: file.source == .freshet
    )
    let id: Int64
    var isMade = false
    switch try search.find() {
    case .none(let other):
      var new = book
      if let isbn = book.isbn, let other {
        (new.isbn, new.isbnText) = (nil, isbn.description)
        report.isbn = nil
        report.problems.append(
          RowProblem(.isbnTaken, value: "\(isbn), \"\(other)\"")
        )
      }
      report.outcome = .imported
      id = try rows.insert(new)
      isMade = true
    case .book(let known):
      id = known
      var stored = try rows.book(id) ?? book
      let isChanged = stored.update(with: try free(book, for: stored, &report))
      if isChanged { try rows.update(id, stored) }
      report.outcome = isChanged ? .updated : .duplicate
    case .entry(let known, let said):
      id = known
      let stored = try rows.book(id) ?? book
      var newer = stored
      if let said {
        let others = try rows.sources(of: id).filter { $0 != source }
          .compactMap { try rows.said(by: $0)?.said }
        let kept = newer.sync(with: book, base: said, others: others)
        if !kept.isEmpty {
          report.problems.append(RowProblem(.keptHere, value: kept.joined(separator: ", ")))
        }
        try syncNumber(of: &newer, id, with: book, base: said, &report)
      } else {
        _ = newer.update(with: try free(book, for: stored, &report))
      }
      if newer != stored { try rows.update(id, newer) }
      report.outcome = newer == stored ? .duplicate : .updated
    }
    // A list without identifiers has the book too: no other list takes it away.
    try rows.keep(
      SourceRecord(book: id, said: book, isMade: isMade && source != nil),
      by: source ?? .list(of: id)
    )
    return id
  }

  /// A row without its number if that is another book's than the one it completes.
  private func free(
    _ book: BookRecord,
    for stored: BookRecord,
    _ report: inout RowReport
  ) throws -> BookRecord {
    guard stored.isbn == nil, let isbn = book.isbn, let other = try rows.id(isbn: isbn) else {
      return book
    }
    let title = try rows.book(other)?.title ?? ""
    report.problems.append(RowProblem(.isbnTaken, value: "\(isbn), \"\(title)\""))
    var free = book
    free.isbn = nil
    return free
  }

  /// Takes over the number that a source has changed, unless it is another book's or a person has changed it here.
  private func syncNumber(
    of stored: inout BookRecord,
    _ id: Int64,
    with newer: BookRecord,
    base: BookRecord,
    _ report: inout RowReport
  ) throws {
    guard newer.isbn != base.isbn || newer.isbnText != base.isbnText,
      stored.isbn == base.isbn || stored.isbn == nil,
      newer.isbn != stored.isbn || newer.isbnText != stored.isbnText
    else { return }
    if let isbn = newer.isbn, let other = try rows.id(isbn: isbn), other != id {
      let title = try rows.book(other)?.title ?? ""
      report.problems.append(RowProblem(.isbnTaken, value: "\(isbn), \"\(title)\""))
      return
    }
    stored.isbn = newer.isbn
    stored.isbnText = newer.isbnText
  }

  // MARK: Lists

  /// Takes entries that are gone out of a list, and their books out of the library if nothing else holds them there.
  ///
  /// A book stays if a person has changed it here, if another list has it too, or if it was there before the service
  /// said anything of it.
  ///
  /// - Returns: The reports of the books that were removed.
  func remove(
    _ entries: [String],
    from list: Int64,
    _ state: inout ImportState
  ) throws
    -> [RowReport]
  {
    guard let scope = file.scope else { return [] }
    var reports: [RowReport] = []
    for entry in entries {
      let source = BookSource(scope: scope, entry: entry)
      guard let report = try remove(source, from: list, row: state.rowsDone + 1) else { continue }
      try rows.add(report, book: nil)
      state.add(report)
      reports.append(report)
    }
    return reports
  }

  private func remove(_ source: BookSource, from list: Int64, row: Int) throws -> RowReport? {
    try rows.unlist(source.entry, from: list)
    guard try !rows.isListed(source), let last = try rows.said(by: source) else { return nil }
    try rows.forget(source)
    guard try rows.sources(of: last.book).isEmpty, last.isMade, let said = last.said,
      let book = try rows.book(last.book), book.says(whatIsSaidBy: said)
    else { return nil }
    try rows.keepRemoved(book, scope: source.scope)
    try rows.remove(last.book)
    var report = RowReport(row: row, line: 0, outcome: .removed)
    report.title = book.title
    report.author = book.authors.first ?? ""
    report.isbn = book.isbn
    report.problems = [RowProblem(.removedAtSource)]
    return report
  }
}
