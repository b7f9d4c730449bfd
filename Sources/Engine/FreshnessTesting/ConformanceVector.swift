public import Freshness
public import StrictJSON

/// A scenario for one refresh machine, with the expected results.
///
/// The grammar is in `Documentation/conformance-vectors.md`.
public struct ConformanceVector: Sendable {
  /// The name of the file that contains the vector.
  public var file: String
  /// The identifier, unique across all files.
  public var id: String
  /// The rules and scenarios that the vector covers.
  public var covers: [String]
  /// What must hold, in one sentence.
  public var says: String
  /// The constants.
  public var policy: Policy
  /// The initial context.
  public var context: Context
  /// The steps, at least one.
  public var steps: [Step]

  /// An event or a wait, with the expected results.
  public struct Step: Sendable {
    /// When it happens; never before the previous step.
    public var instant: Instant
    /// The name of the event, or `wait`.
    public var name: String
    /// What happens in the step.
    public var action: Action
    /// The random sample of the event, or of every event of a wait.
    public var random: RandomSample
    /// The expected results, by member; ``ConformanceRun`` compares them.
    public var expected: [String: JSONValue]
  }

  /// What happens in a step.
  public enum Action: Sendable {
    /// An event that is fixed before the run.
    case event(Event)
    /// A response; omitted values are taken from the run.
    case answered(generation: Int64?, context: Context?, Answer)
    /// A long poll that the origin does not hold; omitted values are taken from the run.
    case notHeld(generation: Int64?, context: Context?)
    /// A request that waits at its origin; omitted values are taken from the run.
    case queued(generation: Int64?, context: Context?)
    /// A body from the stream; without a context, for the current one.
    case delivered(context: Context?, Answer)
    /// A wait, during which the host serves alarms.
    case wait(Service?)
  }

  /// The server that answers the host during a `wait`.
  public struct Service: Sendable {
    /// The response to every request.
    public var answer: Answer
    /// The time from order to response.
    public var latency: Instant.Duration
  }
}

extension ConformanceVector {
  /// The maximum number of vectors in one file.
  public static let mostVectors = 10_000
  /// The maximum number of steps of one vector.
  public static let mostSteps = 10_000

  /// Reads the vectors of one file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: Its name, for errors.
  /// - Returns: The vectors, in the order of the file.
  /// - Throws: ``DocumentError`` with the file, the vector, the step and the member.
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
    // The identifier is read first, so that every other error can include it.
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
      steps.append(try VectorReader.step(value, after: steps.last?.instant, at: place))
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
