public import StrictJSON

/// A place in a document, and what stands there if anything does.
///
/// `null` is the same as absent. Going down from what is no object gives absent places, so a chain never
/// fails: `root["payload"]["summary"]["totalProcessed"].int()`. Reading an absent place gives nothing and is
/// no issue; ``missing(_:)`` makes it one.
public struct DecodeField {
  /// What stands here; nothing if the place is absent or null.
  public let value: JSONValue?
  let log: DecodeLog
  private let parent: DecodePath
  private let step: DecodeStep?
  /// The path of this place itself, made once for what can be gone into.
  private let own: DecodePath?

  init(root value: JSONValue, log: DecodeLog) {
    self.value = value == .null ? nil : value
    self.log = log
    parent = .root
    step = nil
    own = .root
  }

  private init(_ value: JSONValue?, in parent: DecodePath, at step: DecodeStep, _ log: DecodeLog) {
    self.log = log
    self.parent = parent
    self.step = step
    switch value {
    case nil, .null:
      self.value = nil
      own = nil
    case .object, .list:
      self.value = value
      own = .step(parent, step)
    default:
      self.value = value
      own = nil
    }
  }

  private var pathHere: DecodePath { own ?? step.map { .step(parent, $0) } ?? .root }

  /// Where this is: `payload.books[3].title`; empty for the root.
  public var path: String { pathHere.text }

  /// Whether something stands here.
  public var isPresent: Bool { value != nil }

  /// A member of the object that stands here.
  ///
  /// The first of its names that has a value counts; another name than today's is a note.
  ///
  /// - Parameter name: The name, and others it may have.
  public subscript(name: MemberName) -> DecodeField {
    guard case .object(let members)? = value else {
      return DecodeField(nil, in: pathHere, at: .member(name.name), log)
    }
    if let value = members[name.name], value != .null {
      return DecodeField(value, in: pathHere, at: .member(name.name), log)
    }
    for alias in name.aliases {
      guard let value = members[alias], value != .null else { continue }
      let field = DecodeField(value, in: pathHere, at: .member(alias), log)
      field.report(.alias, .note, "today's name of this is \"\(name.name)\"")
      return field
    }
    return DecodeField(nil, in: pathHere, at: .member(name.name), log)
  }

  /// The members of the object that stands here, besides some; none for anything else.
  ///
  /// - Parameter names: Those that are known.
  /// - Returns: The others.
  public func members(besides names: Set<String>) -> [String: JSONValue] {
    guard case .object(let members)? = value else { return [:] }
    return members.filter { !names.contains($0.key) }
  }

  /// Whether an object stands here; anything else that is present is an issue.
  public func isObject() -> Bool {
    switch value {
    case .object: return true
    case nil: return false
    default:
      refuse("an object")
      return false
    }
  }

  /// The elements of the list that stands here.
  ///
  /// An element of which nothing is made is left out and counted. One that is no list counts as a list of one.
  ///
  /// - Parameters:
  ///   - most: The most elements that are taken; nothing for the limit of the decoding.
  ///   - make: Makes a model of an element; nothing if that is impossible.
  /// - Returns: The elements; nothing if the place is absent.
  public func list<Element>(
    most: Int? = nil,
    _ make: (DecodeField) -> Element?
  ) -> LossyList<Element>? {
    guard let value else { return nil }
    guard case .list(let elements) = value else {
      guard let element = make(self) else { return LossyList(dropped: 1) }
      report(.converted, .warning, "\(value.kind) is taken as a list of one")
      return LossyList([element])
    }
    let path = pathHere
    var list = LossyList<Element>()
    let most = min(most ?? .max, log.limits.elements)
    list.elements.reserveCapacity(min(elements.count, most))
    for (index, element) in elements.prefix(most).enumerated() {
      let field = DecodeField(element, in: path, at: .element(index), log)
      if let element = make(field) {
        list.elements.append(element)
      } else {
        list.dropped += 1
        field.report(.droppedElement, .loss, "this element cannot be used and is left out")
      }
    }
    if elements.count > most {
      list.dropped += elements.count - most
      report(.truncated, .loss, "\(elements.count) elements; at most \(most) are taken")
    }
    return list
  }

  /// A value in place of one that is missing; that it is missing is an issue if the place is absent.
  ///
  /// - Parameter fallback: The value.
  /// - Returns: The same value.
  public func missing<Value>(_ fallback: Value) -> Value {
    if value == nil { report(.missing, .loss, "this is missing") }
    return fallback
  }

  /// Adds an issue about this place.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - severity: How much it costs.
  ///   - message: What was expected and what was found, in one sentence without its full stop.
  public func report(
    _ kind: DecodeIssue.Kind,
    _ severity: DecodeIssue.Severity,
    _ message: @autoclosure () -> String
  ) {
    guard log.keeps(severity) else { return }
    log.add(DecodeIssue(path: path, kind: kind, severity: severity, message: message()))
  }

  /// Reports that what stands here is of another kind and is left out.
  func refuse(_ expected: String) {
    guard let value else { return }
    report(.wrongKind, .loss, "\(value.kind) stands where \(expected) is expected")
  }

  /// A text of the document, shortened for an issue.
  func quoted(_ text: String) -> String { "\"\(text.prefix(log.limits.quoted))\"" }
}

@available(*, unavailable)
extension DecodeField: Sendable {}
