import Books

/// What some lines of dumps say, stored at once.
package struct CatalogueBatch: Sendable {
  /// An edition with its sound numbers.
  struct Edition: Sendable {
    let line: DumpLine.Edition
    let isbns: [Int64]
  }

  private(set) var authors: [DumpLine.Author] = []
  private(set) var works: [DumpLine.Work] = []
  private(set) var editions: [Edition] = []
  private var bytes = 0

  /// Whether it has as much as is stored at once.
  var isFull: Bool {
    authors.count + works.count + editions.count >= CatalogueLimits.batchLines
      || bytes >= CatalogueLimits.batchBytes
  }

  /// Adds what a line says, and counts it.
  mutating func add(
    _ record: DumpLine.Record,
    bytes: Int,
    _ report: inout CatalogueImport.Report
  ) {
    self.bytes += bytes
    switch record {
    case .other: report.others += 1
    case .author(let author):
      report.authors += 1
      authors.append(author)
    case .work(let work):
      report.works += 1
      works.append(work)
    case .edition(let edition):
      report.editions += 1
      var isbns: [Int64] = []
      for text in edition.isbns {
        guard let isbn = ISBN(text) else {
          report.brokenISBNs += 1
          continue
        }
        let number = Int64(isbn.value)
        guard !isbns.contains(number) else { continue }
        report.isbns += 1
        isbns.append(number)
      }
      editions.append(Edition(line: edition, isbns: isbns))
    }
  }
}
