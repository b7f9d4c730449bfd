public import StrictJSON

/// A place in a document, and the value there, if any.
///
/// `null` is the same as absent. Subscripting a non-object yields an absent field, so chained
/// lookups never fail: `root["payload"]["summary"]["totalProcessed"].int()`. Reading an absent
/// field returns `nil` and is not an issue; ``missing(_:)`` makes it one.
public struct DecodeField {
  let log: DecodeLog
  /// The place of the value; if it is absent, of the innermost value around it.
  private let place: Int
  /// The path from there to the absent value; `nil` if the value is present.
  private let absent: String?

  /// Creates a field for the value at a place of the document; null counts as absent.
  init(_ place: Int, _ log: DecodeLog) {
    self.log = log
    self.place = place
    absent = log.document.kind(at: place) == .null ? "" : nil
    log.visit(place)
  }

  private init(absent path: String, in place: Int, _ log: DecodeLog) {
    self.log = log
    self.place = place
    absent = path
  }

  /// The path, such as `payload.books[3].title`; empty for the root.
  public var path: String {
    let path = log.document.path(of: place, from: log.root)
    guard let absent, !absent.isEmpty else { return path }
    return path.isEmpty ? absent : path + "." + absent
  }

  /// Whether the field has a value.
  public var isPresent: Bool { absent == nil }

  /// Returns whether both are the same place of a document.
  ///
  /// - Parameter other: Another place of the same document.
  /// - Returns: Whether they are the same.
  public func isSame(as other: DecodeField) -> Bool {
    place == other.place && absent == other.absent
  }

  /// The value of this field with everything in it; `nil` if the field is absent or null.
  public var value: JSONValue? {
    guard isPresent else { return nil }
    log.readWhole(place)
    return log.document.value(at: place)
  }

  /// The unmodified content of this field, decoded lazily.
  public var raw: RawJSON? {
    guard isPresent else { return nil }
    log.readWhole(place)
    return RawJSON(log.document, at: place)
  }

  /// The value, with lists and objects as if they were empty; `nil` if the field is absent or null.
  var scalar: JSONValue? { isPresent ? log.document.scalar(at: place) : nil }

  /// The kind of the value; `nil` if the field is absent or null.
  private var kind: JSONDocument.Kind? { isPresent ? log.document.kind(at: place) : nil }

  /// Whether the value is a list; anything else is not an issue.
  public var isList: Bool { kind == .list }

  /// The string value; meaningless for other kinds.
  var text: String { log.document.name(at: place) }

  /// Whether the value is an object, like ``isObject()`` but without an issue.
  public var holdsObject: Bool { kind == .object }

  /// Whether the value is a string; anything else is not an issue.
  public var isText: Bool { kind == .string }

  /// The number of elements of a list or members of an object; 0 for anything else.
  public var count: Int { isPresent ? log.document.count(at: place) : 0 }

  /// Returns a member of the object.
  ///
  /// The first of its names that has a value is used; a former name is a note.
  ///
  /// - Parameter name: The name, and its aliases.
  public subscript(name: MemberName) -> DecodeField {
    if let absent {
      return DecodeField(
        absent: absent.isEmpty ? name.name : absent + "." + name.name,
        in: place,
        log
      )
    }
    guard log.document.hasName(of: name.lengths, in: place) else {
      return DecodeField(absent: name.name, in: place, log)
    }
    if let field = member(name.name) { return field }
    for alias in name.aliases {
      guard let field = member(alias) else { continue }
      field.report(.alias, .note, "today's name of this is \"\(name.name)\"")
      return field
    }
    return DecodeField(absent: name.name, in: place, log)
  }

  /// Returns the member of the object, or `nil` if it is absent or null.
  func member(_ name: String) -> DecodeField? {
    guard let member = log.document.member(name, of: place) else { return nil }
    let field = DecodeField(member, log)
    return field.isPresent ? field : nil
  }

  /// Returns the members of the object that are not known; empty for anything else.
  ///
  /// - Parameter names: The known names.
  /// - Returns: The other members.
  public func members(besides names: Set<String>) -> [String: JSONValue] {
    guard kind == .object else { return [:] }
    var members: [String: JSONValue] = [:]
    for member in log.document.members(of: place) {
      let name = log.document.name(at: member.name)
      if !names.contains(name) {
        log.readWhole(member.value)
        members[name] = log.document.value(at: member.value)
      }
    }
    return members
  }

  /// Returns whether the value is an object; anything else that is present is an issue.
  public func isObject() -> Bool {
    switch kind {
    case .object: return true
    case nil: return false
    default:
      refuse("an object")
      return false
    }
  }

  /// Returns the elements of the list.
  ///
  /// An element that cannot be used is dropped and counted. A value that is not a list counts as a
  /// list of one.
  ///
  /// - Parameters:
  ///   - most: The maximum number of elements; `nil` uses the limit of the decoding.
  ///   - make: Creates a model from an element, or returns `nil` if that is not possible.
  /// - Returns: The elements, or `nil` if the field is absent.
  @inlinable
  public func list<Element>(
    most: Int? = nil,
    _ make: (DecodeField) -> Element?
  ) -> LossyList<Element>? {
    guard isPresent else { return nil }
    guard isList else {
      guard let element = make(self) else { return LossyList(dropped: 1) }
      reportListOfOne()
      return LossyList([element])
    }
    let taken = taken(most)
    var list = LossyList<Element>()
    list.elements.reserveCapacity(taken)
    var field = inside
    for number in 0..<taken {
      if number > 0 { field = field.next }
      if let element = make(field) {
        list.elements.append(element)
      } else {
        list.dropped += 1
        field.reportDropped()
      }
    }
    if taken < count {
      list.dropped += count - taken
      reportTruncated(to: taken)
    }
    return list
  }

  // Needed by `list`, which is inlined into its callers.

  @usableFromInline
  func taken(_ most: Int?) -> Int { min(count, most ?? .max, log.limits.elements) }

  /// The first element of the list; meaningless for an empty one.
  @usableFromInline
  var inside: DecodeField { count > 0 ? DecodeField(place + 1, log) : self }

  /// The element after this one.
  @usableFromInline
  var next: DecodeField { DecodeField(log.document.end(of: place), log) }

  @usableFromInline
  func reportListOfOne() {
    report(.converted, .warning, "\(scalar?.kind ?? "") is taken as a list of one")
  }

  @usableFromInline
  func reportDropped() {
    report(.droppedElement, .loss, "this element cannot be used and is left out")
  }

  @usableFromInline
  func reportTruncated(to most: Int) {
    report(.truncated, .loss, "\(count) elements; at most \(most) are taken")
  }

  /// Returns a fallback for a missing value; the absence is an issue if the field is absent.
  ///
  /// - Parameter fallback: The fallback.
  /// - Returns: The fallback.
  public func missing<Value>(_ fallback: Value) -> Value {
    if !isPresent { report(.missing, .loss, "this is missing") }
    return fallback
  }

  /// Adds an issue about this field.
  ///
  /// - Parameters:
  ///   - kind: The kind of the issue.
  ///   - severity: The severity of the issue.
  ///   - message: What was expected and what was found, in one sentence without a period.
  public func report(
    _ kind: DecodeIssue.Kind,
    _ severity: DecodeIssue.Severity,
    _ message: @autoclosure () -> String
  ) {
    guard log.keeps(severity) else { return }
    log.add(DecodeIssue(path: path, kind: kind, severity: severity, message: message()))
  }

  /// Reports that the value is of another kind and is dropped.
  func refuse(_ expected: String) {
    guard let scalar else { return }
    report(.wrongKind, .loss, "\(scalar.kind) found where \(expected) is expected")
  }

  /// Returns a string of the document, shortened for an issue.
  @usableFromInline
  func quoted(_ text: String) -> String { "\"\(text.prefix(log.limits.quoted))\"" }
}

@available(*, unavailable)
extension DecodeField: Sendable {}
