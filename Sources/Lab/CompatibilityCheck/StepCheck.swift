package import StrictJSON
import Synchronization

/// Collects what a client would trip over in one step.
package final class StepCheck: Sendable {
  private let found = Mutex<[String]>([])

  package init() {}

  /// The faults so far, in order.
  package var faults: [String] { found.withLock { $0 } }

  /// Adds a fault.
  ///
  /// - Parameter text: What is wrong, and what the client needs.
  package func fault(_ text: String) { found.withLock { $0.append(text) } }

  /// Adds a fault unless a condition holds.
  ///
  /// - Parameters:
  ///   - condition: What must hold.
  ///   - text: What is wrong if it does not.
  /// - Returns: Whether it holds.
  @discardableResult
  package func expect(_ condition: Bool, _ text: @autoclosure () -> String) -> Bool {
    if !condition { fault(text()) }
    return condition
  }

  /// Adds a fault unless the answer has one of some statuses.
  ///
  /// - Parameters:
  ///   - codes: The status codes that the client takes.
  ///   - answer: The answer.
  /// - Returns: Whether it has.
  @discardableResult
  package func status(_ codes: Int..., of answer: ClientAnswer) -> Bool {
    let expected = codes.map(String.init).joined(separator: " or ")
    return expect(
      codes.contains(answer.status),
      "status: expected \(expected), found \(answer.status) \(Self.excerpt(answer.body))"
    )
  }

  /// Adds a fault unless a header field of the answer is as the client needs it.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - answer: The answer.
  ///   - expected: What the value must be, in words.
  ///   - isRight: Whether a value is.
  package func field(
    _ name: String,
    of answer: ClientAnswer,
    is expected: String,
    _ isRight: (String) -> Bool = { _ in true }
  ) {
    let value = answer[field: name]
    expect(
      value.map(isRight) ?? false,
      "\(name): expected \(expected), found \(value.map { "\"\($0.prefix(80))\"" } ?? "nothing")"
    )
  }

  /// Adds a fault for everything in an answer's JSON that the client's types cannot read.
  ///
  /// - Parameters:
  ///   - shape: The client's type.
  ///   - answer: The answer.
  ///   - reader: Whose rules count.
  /// - Returns: The value if it is JSON, whatever its faults.
  @discardableResult
  package func shape(
    _ shape: JSONShape,
    of answer: ClientAnswer,
    as reader: JSONShape.Reader = .codable
  ) -> JSONValue? {
    do throws(ClientAnswer.NotJSON) {
      let value = try answer.json()
      self.shape(shape, of: value, as: reader)
      return value
    } catch {
      fault("\(error) \(Self.excerpt(answer.body))")
      return nil
    }
  }

  /// Adds a fault for everything in a value that the client's types cannot read.
  ///
  /// - Parameters:
  ///   - shape: The client's type.
  ///   - value: The value.
  ///   - reader: Whose rules count.
  package func shape(
    _ shape: JSONShape,
    of value: JSONValue,
    as reader: JSONShape.Reader = .codable
  ) {
    for fault in shape.faults(in: value, as: reader) { self.fault(fault.description) }
  }

  /// The beginning of a body, for messages.
  private static func excerpt(_ body: [UInt8]) -> String {
    body.isEmpty ? "(no content)" : String(decoding: body.prefix(160), as: UTF8.self)
  }
}
