import StrictJSON

/// A line of an Open Library dump: type, key, revision, time and JSON, separated by tabs
/// (<https://openlibrary.org/developers/dumps>).
enum DumpLine {
  /// An author.
  struct Author: Equatable, Sendable {
    var id: Int64
    var name: String
  }

  /// A work: what all editions of a book have in common.
  struct Work: Equatable, Sendable {
    var id: Int64
    var title: String
    var subtitle: String?
    var authors: [Int64]
    var firstYear: Int?
    var subjects: [String]
    var cover: Int64?

    /// The subjects as they are stored: one a line; `nil` without any.
    var subjectText: String? { subjects.isEmpty ? nil : subjects.joined(separator: "\n") }
  }

  /// An edition.
  struct Edition: Equatable, Sendable {
    var id: Int64
    var work: Int64?
    var title: String
    var subtitle: String?
    var authors: [Int64]
    var isbns: [String]
    var publisher: String?
    var year: Int?
    var pages: Int?
    var language: String?
    var format: String?
    var cover: Int64?
  }

  /// The content of a line.
  enum Record: Equatable, Sendable {
    case author(Author)
    case work(Work)
    case edition(Edition)
    /// A redirect, a deletion or another type.
    case other
  }

  /// Why a line cannot be read.
  struct Fault: Error, Equatable {
    var problem: String
  }

  /// The most subjects of a work that are kept.
  static let mostSubjects = 8

  /// Reads a line without its end.
  static func read(_ line: some Collection<UInt8>) throws(Fault) -> Record {
    let parts = line.split(separator: 0x09, maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5 else { throw Fault(problem: "\(parts.count) columns instead of 5") }
    let kind = String(decoding: parts[0], as: UTF8.self)
    guard ["/type/author", "/type/work", "/type/edition"].contains(kind) else { return .other }
    guard let id = number(String(decoding: parts[1], as: UTF8.self)) else {
      throw Fault(problem: "the key \(String(decoding: parts[1].prefix(40), as: UTF8.self))")
    }
    let value: JSONValue
    do {
      value = try JSONReader.value(of: Array(parts[4]), rules: .lenient)
    } catch {
      throw Fault(problem: "column 5: \(error.problem)")
    }
    guard value.object != nil else { throw Fault(problem: "column 5 is not an object") }
    switch kind {
    case "/type/author":
      guard let name = text(value["name"]) ?? text(value["personal_name"]) else {
        throw Fault(problem: "an author without a name")
      }
      return .author(Author(id: id, name: name))
    case "/type/work":
      guard let title = text(value["title"]) else { throw Fault(problem: "a work without a title") }
      return .work(
        Work(
          id: id,
          title: title,
          subtitle: text(value["subtitle"]),
          authors: references(value["authors"]),
          firstYear: year(value["first_publish_date"]),
          subjects: texts(value["subjects"], most: mostSubjects),
          cover: cover(value["covers"])
        )
      )
    default:
      guard let title = text(value["title"]) else {
        throw Fault(problem: "an edition without a title")
      }
      return .edition(
        Edition(
          id: id,
          work: references(value["works"]).first,
          title: title,
          subtitle: text(value["subtitle"]),
          authors: references(value["authors"]),
          isbns: texts(value["isbn_13"], most: 16) + texts(value["isbn_10"], most: 16),
          publisher: texts(value["publishers"], most: 1).first,
          year: year(value["publish_date"]),
          pages: value["number_of_pages"]?.int64.flatMap { 1...100_000 ~= $0 ? Int($0) : nil },
          language: keys(value["languages"]).first.map {
            String($0.split(separator: "/").last ?? "")
          },
          format: text(value["physical_format"]),
          cover: cover(value["covers"])
        )
      )
    }
  }

  /// The number in a key: `/works/OL45883W` is 45883.
  static func number(_ key: String) -> Int64? {
    guard let name = key.split(separator: "/").last, name.hasPrefix("OL"), name.utf8.count > 3
    else {
      return nil
    }
    return Int64(name.dropFirst(2).dropLast())
  }

  /// A text, which dumps write plain or as `{"type":…,"value":…}`.
  private static func text(_ value: JSONValue?) -> String? {
    let text = value?.string ?? value?["value"]?.string
    guard let text, !text.isEmpty else { return nil }
    return text.unicodeScalars.contains { $0.value < 0x20 }
      ? String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
      : text
  }

  private static func texts(_ value: JSONValue?, most: Int) -> [String] {
    if let one = text(value) { return [one] }
    return (value?.list ?? []).prefix(most).compactMap { text($0) }
  }

  /// Keys, written as text, as `{"key":…}`, or as `{"author":{"key":…}}`.
  private static func keys(_ value: JSONValue?) -> [String] {
    (value?.list ?? []).compactMap { element in
      element.string ?? element["key"]?.string ?? element["author"]?["key"]?.string
        ?? element["author"]?.string
    }
  }

  private static func references(_ value: JSONValue?) -> [Int64] {
    keys(value).prefix(32).compactMap(number)
  }

  private static func cover(_ value: JSONValue?) -> Int64? {
    value?.list?.lazy.compactMap(\.int64).first { $0 > 0 }
  }

  /// The first four digits in a row that are a year: `July 16, 1987`.
  private static func year(_ value: JSONValue?) -> Int? {
    guard let text = value?.string else {
      return value?.int64.flatMap { 1000...2200 ~= $0 ? Int($0) : nil }
    }
    var run = 0
    var digits = 0
    for byte in Array(text.utf8) + [0] {
      if 0x30...0x39 ~= byte {
        run = digits < 5 ? run * 10 + Int(byte - 0x30) : run
        digits += 1
        continue
      }
      if digits == 4, 1000...2200 ~= run { return run }
      run = 0
      digits = 0
    }
    return nil
  }
}
