import BookLibrary
import Books
import Foundation
import Jobs

/// The file of an import, which can be opened repeatedly.
struct Table {
  let path: String
  let encoding: TextEncoding
  let markBytes: Int
  let mapping: [String: BookColumn]
  let limits: ImportLimits
  private let needsSurvey: Bool
  /// How the columns of the file are to be read; `nil` before it was checked.
  private var survey: ColumnSurvey?
  private(set) var file: ImportFile
  let headerLine: [UInt8]
  let delimiter: UInt8

  /// Examines all bytes and the header.
  ///
  /// - Throws: `JobFailure` with the code of an ``Books/ImportFileError``.
  init(_ work: JobWork, limits: ImportLimits) throws {
    guard let input = work.inputs.first else {
      throw JobFailure(code: "file_missing", message: "there is no file", isRetryable: false)
    }
    path = input.path
    mapping = try Self.mapping(work.options)
    self.limits = limits
    var survey = EncodingSurvey()
    var bytes = 0
    let found: (encoding: TextEncoding, markBytes: Int)
    let map: ColumnMap
    do {
      let blocks = try FileBlocks(path: path)
      while let block = try blocks.next() {
        bytes += block.count
        guard bytes <= limits.fileBytes else {
          throw ImportFileError(.tooLarge, "the file is larger than \(limits.fileBytes) bytes")
        }
        survey.feed(block)
      }
      found = try survey.finish()
      let rows = try TableRows(path, found.encoding, found.markBytes, mapping, limits)
      (map, headerLine, delimiter) = try rows.readHeader()
    } catch let error as ImportFileError {
      throw Self.failure(error)
    }
    encoding = found.encoding
    markBytes = found.markBytes
    file = ImportFile(
      job: work.job,
      name: input.name,
      source: map.source,
      encoding: encoding
    )
    file.fence = work.fence
    needsSurvey = map.needsSurvey
    file.scope = map.entryScope
    file.isPart = map.isPart
  }

  /// Reads all rows, counts them, and remembers what their entries are and what their columns show.
  ///
  /// - Throws: `JobFailure` without rows or with too many.
  mutating func check() throws -> Int {
    let rows = try rows()
    var count = 0
    guard file.scope != nil || needsSurvey || file.source == .freshet else {
      while try rows.skip() { count += 1 }
      return count
    }
    while let row = try rows.next() {
      count += 1
      guard case .book(let book, _) = row.content,
        let entry = file.source == .freshet ? book.entry : book.entry(in: file.scope)
      else { continue }
      file.entries.insert(entry)
    }
    survey = rows.survey
    return count
  }

  /// The rows from the first one on.
  func rows() throws -> TableRows {
    try TableRows(path, encoding, markBytes, mapping, limits, survey)
  }

  private static func mapping(_ options: [String: String]) throws -> [String: BookColumn] {
    var mapping: [String: BookColumn] = [:]
    for (name, header) in options where name.hasPrefix("column.") {
      let word = String(name.dropFirst("column.".count))
      guard let column = BookColumn(rawValue: word) else {
        let known = BookColumn.allCases.map(\.rawValue).joined(separator: ", ")
        throw JobFailure(
          code: "option_unknown",
          message: "the option \(name) names no column; there are \(known)",
          isRetryable: false
        )
      }
      mapping[header] = column
    }
    return mapping
  }

  static func failure(_ error: ImportFileError) -> JobFailure {
    JobFailure(code: error.code.rawValue, message: error.description, isRetryable: false)
  }
}

/// The rows of a file, read block by block.
final class TableRows {
  private let blocks: FileBlocks
  private var file: BookFile
  private var isFinished = false

  init(
    _ path: String,
    _ encoding: TextEncoding,
    _ markBytes: Int,
    _ mapping: [String: BookColumn],
    _ limits: ImportLimits,
    _ survey: ColumnSurvey? = nil
  ) throws {
    blocks = try FileBlocks(path: path)
    file = BookFile(
      encoding: encoding,
      markBytes: markBytes,
      mapping: mapping,
      limits: limits,
      survey: survey
    )
  }

  /// How to read the columns, judging by the rows so far.
  var survey: ColumnSurvey { file.survey }

  /// The next row; `nil` at the end.
  ///
  /// - Throws: `JobFailure`.
  func next() throws -> BookFile.Row? {
    try fed { file throws(ImportFileError) in try file.next() }
  }

  /// Passes the next row; false at the end.
  ///
  /// - Throws: `JobFailure`.
  func skip() throws -> Bool {
    try fed { file throws(ImportFileError) in try file.skip() ? true : nil } ?? false
  }

  private func fed<Result>(
    _ read: (inout BookFile) throws(ImportFileError) -> Result?
  ) throws -> Result? {
    do {
      while true {
        if let result = try read(&file) { return result }
        guard !isFinished else { return nil }
        try feed()
      }
    } catch let error as ImportFileError {
      throw Table.failure(error)
    }
  }

  /// Reads as far as the header.
  func readHeader() throws -> (map: ColumnMap, line: [UInt8], delimiter: UInt8) {
    while true {
      if let map = file.map, let delimiter = file.delimiter {
        return (map, file.headerLine, delimiter)
      }
      guard !isFinished else {
        throw ImportFileError(.empty, "there is nothing in the file")
      }
      try feed()
    }
  }

  private func feed() throws {
    if let block = try blocks.next() {
      try file.feed(block)
    } else {
      isFinished = true
      try file.finish()
    }
  }
}

/// The bytes of a file, block by block.
final class FileBlocks {
  private let handle: FileHandle

  init(path: String) throws {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw JobFailure(
        code: "file_missing",
        message: "the file that was sent is no longer there",
        isRetryable: false
      )
    }
    self.handle = handle
  }

  deinit { try? handle.close() }

  /// The next bytes; `nil` at the end.
  func next() throws -> [UInt8]? {
    guard let data = try handle.read(upToCount: CSVImport.blockBytes), !data.isEmpty else {
      return nil
    }
    return Array(data)
  }
}
