/// Which column of a file says what.
package struct ColumnMap: Hashable, Sendable {
  /// The header as the file writes it.
  package let header: [String]
  /// What each column says; `nil` for a column that is not read.
  package let columns: [BookColumn?]
  /// The service that wrote the file.
  package let source: ExportSource

  private let positions: [BookColumn: [Int]]

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - header: The names of the columns.
  ///   - mapping: The meaning of columns with other names; takes precedence over the known names.
  /// - Throws: ``ImportFileError`` `unknownHeader` without a title and an ISBN, `unknownColumn` if the mapping names a
  ///   missing column.
  package init(
    header: [String],
    mapping: [String: BookColumn] = [:]
  ) throws(ImportFileError) {
    let names = header.map(BookColumn.name)
    source = ExportSource(names: Set(names))
    var columns = names.map { BookColumn.names[$0] }
    // "Date" is a year in LibraryThing; elsewhere its meaning is unknown.
    if source != .libraryThing, let index = names.firstIndex(of: "date") { columns[index] = nil }
    for (name, column) in mapping.sorted(by: { $0.key < $1.key }) {
      guard let index = names.firstIndex(of: BookColumn.name(of: name)) else {
        throw ImportFileError(
          .unknownColumn,
          "the file has no column \"\(name)\"; it has \(Self.list(header))"
        )
      }
      columns[index] = column
    }
    var positions: [BookColumn: [Int]] = [:]
    for (index, column) in columns.enumerated() {
      if let column { positions[column, default: []].append(index) }
    }
    self.header = header
    self.columns = columns
    self.positions = positions
    guard [BookColumn.title, .isbn, .isbn13, .isbn10].contains(where: { positions[$0] != nil })
    else {
      throw ImportFileError(
        .unknownHeader,
        "line 1 names no title and no ISBN; it has \(Self.list(header))"
      )
    }
  }

  /// Where the columns with a meaning are, from the left.
  package func positions(_ column: BookColumn) -> [Int] { positions[column] ?? [] }

  /// Within what the identifiers of entries are unique; `nil` if the file has none that say which book is meant.
  ///
  /// A column `Id` of any table may number its rows. The library's own export has the identifiers of many services.
  package var entryScope: String? {
    switch source {
    case .goodreads, .storyGraph, .libraryThing, .bookWyrm: return source.rawValue
    case .freshet: return nil
    case .generic:
      let names = Set(["book id", "remote id"])
      let isNamed = positions(.entry).contains { names.contains(BookColumn.name(of: header[$0])) }
      return isNamed ? source.rawValue : nil
    }
  }

  /// Whether the file contains failed rows: a part of another file.
  package var isPart: Bool { positions[.ignored] != nil }

  /// Whether there are columns that can be read in several ways: dates, ratings.
  package var needsSurvey: Bool {
    [BookColumn.added, .started, .finished, .stopped, .readingPeriods, .rating]
      .contains { positions[$0] != nil }
  }

  /// How many columns are understood.
  package var known: Int { columns.count { $0 != nil } }

  private static func list(_ header: [String]) -> String {
    let shown = header.prefix(12).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
    return header.count > 12 ? shown + " and \(header.count - 12) more" : shown
  }
}
