import Foundation
package import StrictJSON

/// An OpenAPI document that the servers publish.
package struct ContractDocument: Sendable {
  /// A place in the document: a JSON pointer with `#` before it, as in a `$ref`.
  package typealias Place = String

  /// Every value by its place: looked up for each member of each answer.
  private let values: [Place: JSONValue]

  /// Reads a document of the folder of assets.
  ///
  /// - Parameter name: The file, such as `openapi.json`.
  /// - Throws: If the file is missing or not valid JSON.
  package init(_ name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../Sources/Programs/CWebAssets/Public/api/\(name)")
    self.init(try Self.value(of: Array(Data(contentsOf: file))))
  }

  /// Creates a document from its content.
  package init(_ content: JSONValue) {
    var values: [Place: JSONValue] = [:]
    func add(_ value: JSONValue, _ place: Place) {
      values[place] = value
      for (name, member) in value.object ?? [:] { add(member, Self.place(place, name)) }
      for (number, element) in (value.list ?? []).enumerated() {
        add(element, Self.place(place, "\(number)"))
      }
    }
    add(content, "#")
    self.values = values
  }

  /// Reads an answer, numbers as they are written.
  ///
  /// - Throws: If it is not valid JSON, or an object has a member twice.
  package static func value(of bytes: [UInt8]) throws -> JSONValue {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    return try JSONReader.value(of: bytes, rules: rules)
  }

  /// The value at a place; `nil` if nothing is there.
  subscript(place: Place) -> JSONValue? { values[place] }

  /// The place of a schema that has a name.
  static func schema(_ name: String) -> Place { "#/components/schemas/\(name)" }

  /// A place within another one.
  static func place(_ parent: Place, _ names: String...) -> Place {
    ([parent] + names.map { $0.replacing("~", with: "~0").replacing("/", with: "~1") })
      .joined(separator: "/")
  }

  /// Follows a reference in the place of an object.
  func resolved(_ place: Place) -> Place {
    self[place]?["$ref"]?.string.map(resolved) ?? place
  }

  /// The answers with JSON: the place of each schema, by operation, status and media type.
  var answers: [Answer: Place] {
    var found: [Answer: Place] = [:]
    for (path, item) in self["#/paths"]?.object ?? [:] {
      for (method, operation) in item.object ?? [:] where method != "parameters" {
        for status in operation["responses"]?.object?.keys.sorted() ?? [] {
          let here = Self.place("#/paths", path, method, "responses", status)
          let response = resolved(here)
          for type in self[response]?["content"]?.object?.keys.sorted() ?? []
          where type.hasSuffix("json") {
            let answer = Answer(operation: "\(method.uppercased()) \(path)", status: status, type)
            found[answer] = Self.place(response, "content", type, "schema")
          }
        }
      }
    }
    return found
  }

  /// An answer of an operation.
  package struct Answer: Hashable, Sendable, CustomStringConvertible {
    var operation: String
    var status: String
    var type: String

    init(operation: String, status: String, _ type: String) {
      self.operation = operation
      self.status = status
      self.type = type
    }

    package var description: String { "\(operation) \(status) \(type)" }
  }
}
