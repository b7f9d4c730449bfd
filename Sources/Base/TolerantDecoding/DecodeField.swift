public import StrictJSON

/// A place in a document, and what stands there if anything does.
///
/// `null` is the same as absent. Going down from what is no object gives absent places, so a chain never
/// fails: `root["payload"]["summary"]["totalProcessed"].int()`. Reading an absent place gives nothing and is
/// no issue; ``missing(_:)`` makes it one.
public struct DecodeField {
  let log: DecodeLog
  /// What stands here; if nothing does, the innermost value around it.
  private let place: Int
  /// The way from there to where nothing stands; nothing if something does.
  private let absent: String?

  /// The value at a place of the document; null is nothing.
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

  /// Where this is: `payload.books[3].title`; empty for the root.
  public var path: String {
    let path = log.document.path(of: place, from: log.root)
    guard let absent, !absent.isEmpty else { return path }
    return path.isEmpty ? absent : path + "." + absent
  }

  /// Whether something stands here.
  public var isPresent: Bool { absent == nil }

  /// Whether both are the same place of a document.
  ///
  /// - Parameter other: Another place of the same document.
  /// - Returns: Whether it is this one.
  public func isSame(as other: DecodeField) -> Bool {
    place == other.place && absent == other.absent
  }

  /// What stands here, with everything inside of it; nothing if the place is absent or null.
  public var value: JSONValue? {
    guard isPresent else { return nil }
    log.take(place)
    return log.document.value(at: place)
  }

  /// What stands here, to be kept as it came: made into a value when that is asked for.
  public var raw: RawJSON? {
    guard isPresent else { return nil }
    log.take(place)
    return RawJSON(log.document, at: place)
  }

  /// What stands here, lists and objects as if they were empty; nothing if the place is absent or null.
  var scalar: JSONValue? { isPresent ? log.document.scalar(at: place) : nil }

  /// What kind of value stands here; nothing if the place is absent or null.
  private var kind: JSONDocument.Kind? { isPresent ? log.document.kind(at: place) : nil }

  /// Whether a list stands here; anything else is no issue.
  public var isList: Bool { kind == .list }

  /// The text that stands here; of no use for anything else.
  var text: String { log.document.name(at: place) }

  /// Whether an object stands here, as ``isObject()``, but without an issue.
  public var holdsObject: Bool { kind == .object }

  /// Whether a text stands here; anything else is no issue.
  public var isText: Bool { kind == .string }

  /// How many elements the list or members the object has that stands here; 0 for anything else.
  public var count: Int { isPresent ? log.document.count(at: place) : 0 }

  /// A member of the object that stands here.
  ///
  /// The first of its names that has a value counts; another name than today's is a note.
  ///
  /// - Parameter name: The name, and others it may have.
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

  /// The member of the object that stands here; nothing if it has none of this name, or null.
  func member(_ name: String) -> DecodeField? {
    guard let member = log.document.member(name, of: place) else { return nil }
    let field = DecodeField(member, log)
    return field.isPresent ? field : nil
  }

  /// The members of the object that stands here, besides some; none for anything else.
  ///
  /// - Parameter names: Those that are known.
  /// - Returns: The others.
  public func members(besides names: Set<String>) -> [String: JSONValue] {
    guard kind == .object else { return [:] }
    var members: [String: JSONValue] = [:]
    for member in log.document.members(of: place) {
      let name = log.document.name(at: member.name)
      if !names.contains(name) {
        log.take(member.value)
        members[name] = log.document.value(at: member.value)
      }
    }
    return members
  }

  /// Whether an object stands here; anything else that is present is an issue.
  public func isObject() -> Bool {
    switch kind {
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

  // What `list` needs, which is compiled into who calls it.

  @usableFromInline
  func taken(_ most: Int?) -> Int { min(count, most ?? .max, log.limits.elements) }

  /// The first element of the list that stands here; of no use for an empty one.
  @usableFromInline
  var inside: DecodeField { count > 0 ? DecodeField(place + 1, log) : self }

  /// The element behind this one.
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

  /// A value in place of one that is missing; that it is missing is an issue if the place is absent.
  ///
  /// - Parameter fallback: The value.
  /// - Returns: The same value.
  public func missing<Value>(_ fallback: Value) -> Value {
    if !isPresent { report(.missing, .loss, "this is missing") }
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
    guard let scalar else { return }
    report(.wrongKind, .loss, "\(scalar.kind) stands where \(expected) is expected")
  }

  /// A text of the document, shortened for an issue.
  @usableFromInline
  func quoted(_ text: String) -> String { "\"\(text.prefix(log.limits.quoted))\"" }
}

@available(*, unavailable)
extension DecodeField: Sendable {}
