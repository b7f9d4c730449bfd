import GTFS

/// A record as a reader gave it out.
struct Record: Hashable, CustomStringConvertible {
  var line: Int
  /// The fields, one for each column of the header; of a malformed record, none.
  var fields: [String]
  var problem: String?

  init(_ line: Int, _ fields: String...) {
    self.line = line
    self.fields = fields
  }

  init(_ line: Int, problem: String) {
    self.line = line
    self.fields = []
    self.problem = problem
  }

  private init(_ reader: CSVReader) {
    line = reader.line
    problem = reader.problem
    fields =
      problem == nil
      ? reader.header.indices.map { String(decoding: reader.bytes($0), as: UTF8.self) } : []
  }

  var description: String { "\(line): \(problem ?? fields.joined(separator: "|"))" }

  /// All records of a file, the header first.
  static func all(_ source: any ByteSource, file: String = "test.txt") throws -> [Record] {
    let reader = try CSVReader(source, file: file)
    var header = Record(reader.line)
    header.fields = reader.header
    var records = [header]
    while try reader.next() { records.append(Record(reader)) }
    return records
  }
}
