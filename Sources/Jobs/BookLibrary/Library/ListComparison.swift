import Books

/// Compares an export that has been read to its end with the lists that its service had before.
///
/// An export has at least half of what the export before it had, or it is another list, or a part of one: a person adds
/// and removes less in a month, and two people have less in common. Nothing is removed because of a file with rows that
/// failed: a book may be in one of them.
struct ListComparison: Hashable {
  /// A list of a service.
  struct List: Hashable {
    var id: Int64
    var entries: Set<String>
  }

  /// The list that the export continues, or is a part of; `nil` for a new list.
  private(set) var list: Int64?
  /// The entries of that list that the export no longer has, in order.
  private(set) var gone: [String] = []

  /// Whether the rows of a file are a list whose entries have identifiers that can be compared.
  static func applies(to file: ImportFile) -> Bool {
    file.scope.map { $0 != ExportSource.generic.rawValue } ?? false
  }

  /// Compares.
  ///
  /// - Parameters:
  ///   - entries: The entries of the export.
  ///   - lists: The lists of its service, the oldest first.
  ///   - isWhole: Whether the export has everything that its list has.
  init(_ entries: Set<String>, with lists: [List], isWhole: Bool) {
    var before: (list: List, common: Int)?
    var wider: Int64?
    for list in lists {
      let common = list.entries.intersection(entries).count
      if common * 2 >= list.entries.count, common > before?.common ?? 0 { before = (list, common) }
      if common * 2 >= entries.count, common > 0 { wider = wider ?? list.id }
    }
    list = before?.list.id ?? wider
    if isWhole, let before { gone = before.list.entries.subtracting(entries).sorted() }
  }

  /// Whether a file has everything that its list has.
  static func isWhole(_ file: ImportFile, _ state: ImportState) -> Bool {
    !file.isPart && state.counts.failed == 0
  }
}
