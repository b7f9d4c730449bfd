public import Freshness
public import StrictJSON

/// A short story told to one refresh machine, and what must come of it.
///
/// The grammar is in `Documentation/conformance-vectors.md`.
public struct ConformanceVector: Sendable {
  /// The name of the file the vector came from.
  public var file: String
  /// The identifier, unique over all files.
  public var id: String
  /// The rules and scenarios that the vector is about.
  public var covers: [String]
  /// What must hold, in one sentence.
  public var says: String
  /// The constants.
  public var policy: Policy
  /// What is watched at first.
  public var context: Context
  /// The steps, at least one.
  public var steps: [Step]

  /// One event, or one wait, and what must hold after it.
  public struct Step: Sendable {
    /// When it happens; never before the step before.
    public var moment: Moment
    /// The name of the event, or `wait`.
    public var name: String
    /// What happens.
    public var action: Action
    /// The draw of the event, or of every event of a wait.
    public var draw: RandomSample
    /// What must hold afterwards, by member; ``ConformanceRun`` compares.
    public var expected: [String: JSONValue]
  }

  /// What happens in a step.
  public enum Action: Sendable {
    /// An event that is known before the run.
    case event(Event)
    /// An answer; what is left out is filled in from the run.
    case answered(generation: Int64?, context: Context?, Answer)
    /// A body from the stream; without a context about the current one.
    case delivered(context: Context?, Answer)
    /// A host that lets time pass.
    case wait(Service?)
  }

  /// The server beside the host of a `wait`.
  public struct Service: Sendable {
    /// What every request is answered with.
    public var answer: Answer
    /// The time from order to answer.
    public var latency: Timespan
  }
}

extension ConformanceVector {
  /// The most vectors in one file.
  public static let mostVectors = 10_000
  /// The most steps of one vector.
  public static let mostSteps = 10_000

  /// Reads the vectors of one file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - file: Its name, for errors.
  /// - Returns: The vectors, in the order of the file.
  /// - Throws: ``DocumentError`` that names the file, the vector, the step and the member.
  public static func decode(
    _ bytes: [UInt8],
    file: String
  ) throws(DocumentError) -> [ConformanceVector] {
    let place = DocumentError(file: file, problem: "")
    let document: JSONValue
    do {
      document = try JSONReader.value(of: bytes)
    } catch {
      throw place.with("line \(error.line), column \(error.column): \(error.problem)")
    }
    var reader = try MemberReader(document, at: place)
    guard let values = try reader.list("vectors") else {
      throw reader.error("vectors", "is missing")
    }
    guard values.count <= mostVectors else {
      throw reader.error("vectors", "\(values.count) vectors are more than \(mostVectors)")
    }
    try reader.finish()
    var vectors: [ConformanceVector] = []
    var seen: Set<String> = []
    for (index, value) in values.enumerated() {
      var place = place
      place.vector = "vector \(index + 1)"
      let vector = try ConformanceVector(value, at: place)
      guard seen.insert(vector.id).inserted else {
        place.vector = vector.id
        place.member = "id"
        throw place.with("is the identifier of two vectors")
      }
      vectors.append(vector)
    }
    return vectors
  }

  private init(_ value: JSONValue, at start: DocumentError) throws(DocumentError) {
    file = start.file ?? ""
    // The identifier is read first, so that every other error can name it.
    var place = start
    if case .object(let members) = value, case .string(let id)? = members["id"] {
      place.vector = id
    }
    var reader = try MemberReader(value, at: place)
    id = try Self.text("id", &reader)
    says = try Self.text("says", &reader)
    covers = []
    for element in try reader.list("covers") ?? [] {
      guard case .string(let name) = element, !name.isEmpty else {
        throw reader.error("covers", "a name is expected, not \(element.kind)")
      }
      covers.append(name)
    }
    guard !covers.isEmpty else { throw reader.error("covers", "is missing or empty") }
    policy = try PolicyDocument(try reader.need("policy"), at: reader.place(of: "policy")).policy
    context =
      try reader.object("context") { (inner) throws(DocumentError) in
        try VectorReader.context(&inner)
      } ?? Context(question: 0)
    let values = try reader.list("steps") ?? []
    guard (1...Self.mostSteps).contains(values.count) else {
      throw reader.error("steps", "1 to \(Self.mostSteps) steps are expected")
    }
    try reader.finish()
    steps = []
    for (index, value) in values.enumerated() {
      place.step = index + 1
      steps.append(try VectorReader.step(value, after: steps.last?.moment, at: place))
    }
  }

  private static func text(
    _ name: String,
    _ reader: inout MemberReader
  ) throws(DocumentError) -> String {
    guard let text = try reader.string(name), !text.isEmpty else {
      throw reader.error(name, "is missing or empty")
    }
    return text
  }
}
