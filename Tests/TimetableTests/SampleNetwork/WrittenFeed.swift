import Foundation
import SampleNetwork
import Testing

/// A sample network written to a folder of its own and read back.
struct WrittenFeed {
  /// A file of the feed as rows of fields.
  struct Table {
    private let columns: [String: Int]
    let rows: [[String]]

    init(_ text: [UInt8]) {
      var rows = Table.rows(text)
      let header = rows.isEmpty ? [] : rows.removeFirst()
      self.columns = Dictionary(uniqueKeysWithValues: header.enumerated().map { ($1, $0) })
      self.rows = rows
    }

    /// The fields of a column, in the order of the rows.
    func column(_ name: String) throws -> [String] {
      let index = try #require(self.columns[name])
      return self.rows.map { $0[index] }
    }

    private static func rows(_ text: [UInt8]) -> [[String]] {
      var rows: [[String]] = []
      var row: [String] = []
      var field: [UInt8] = []
      var isQuoted = false
      for (index, byte) in text.enumerated() {
        switch byte {
        case UInt8(ascii: "\""):
          if !isQuoted, index > 0, text[index - 1] == byte { field.append(byte) }
          isQuoted.toggle()
        case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "\n") where !isQuoted:
          row.append(String(decoding: field, as: UTF8.self))
          field.removeAll(keepingCapacity: true)
          if byte == UInt8(ascii: "\n") {
            rows.append(row)
            row.removeAll(keepingCapacity: true)
          }
        default: field.append(byte)
        }
      }
      return rows
    }
  }

  static let names = [
    "agency", "calendar", "calendar_dates", "feed_info", "frequencies", "routes", "stop_times",
    "stops", "transfers", "translations", "trips",
  ]

  let summary: SampleSummary
  private let bytes: [String: [UInt8]]

  init(_ options: SampleNetwork.Options) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sample-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let network = try SampleNetwork(options: options)
    self.summary = try network.write(to: folder.path + "/in/here") { _, _ in }
    var bytes: [String: [UInt8]] = [:]
    for name in WrittenFeed.names {
      bytes[name] = Array(
        try Data(contentsOf: folder.appendingPathComponent("in/here/\(name).txt"))
      )
    }
    self.bytes = bytes
  }

  func content(of name: String) throws -> [UInt8] { try #require(self.bytes[name]) }

  func table(_ name: String) throws -> Table { Table(try self.content(of: name)) }
}
