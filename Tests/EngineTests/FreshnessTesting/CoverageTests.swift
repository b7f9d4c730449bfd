import Freshness
import StrictJSON
import Testing

@testable import FreshnessTesting

@Suite("Vectors: what they cover")
struct CoverageTests {
  @Test
  func `every rule and every scenario has a vector, and nothing else is named`() throws {
    let covered = Set(try ConformanceSuite.vectors().flatMap(\.covers))
    #expect(Set(Scenarios.all).subtracting(covered).sorted() == [])
    #expect(covered.subtracting(Scenarios.all).sorted() == [])
  }

  /// Everything that the vectors may state about a machine, as paths such as
  /// `request.priority=low`.
  private static func words(_ shape: ExpectedShape, path: String) -> Set<String> {
    switch shape {
    case .whole, .range: return [path]
    case .context: return [path]
    case .flag: return [path + "=true", path + "=false"]
    case .name(let names), .set(let names): return Set(names.map { "\(path)=\($0)" })
    case .members(let shapes), .oneOf(let shapes):
      return shapes.reduce(into: []) { found, inner in
        found.formUnion(words(inner.value, path: "\(path).\(inner.key)"))
      }
    case .optional(let shape): return words(shape, path: path).union([path + "=null"])
    case .list(let shape): return words(shape, path: path)
    case .either(let first, let second):
      return words(first, path: path).union(words(second, path: path))
    }
  }

  /// What the vectors do state, in the same form.
  private static func said(_ value: JSONValue, path: String, into found: inout Set<String>) {
    switch value {
    case .null: found.insert(path + "=null")
    case .bool(let flag): found.insert("\(path)=\(flag)")
    case .whole, .decimal: found.insert(path)
    case .string(let word): found.insert("\(path)=\(word)")
    case .list(let elements): for element in elements { said(element, path: path, into: &found) }
    case .object(let members):
      found.insert(path)
      for (name, member) in members { said(member, path: "\(path).\(name)", into: &found) }
    }
  }

  /// What a machine never shows, so that no vector can expect it.
  private static let impossible: Set<String> = [
    // A canceled request is not a sample (R22).
    ".sample.outcome=cancelled",
    // What is applied and full is not reduced (R26).
    ".shows.label.marker.reduced.status=applied", ".shows.label.marker.reduced.mode=full",
    // The words of these are tried where they count, in the label.
    ".sample.metadata.mode=degradedStatic", ".sample.metadata.mode=staleCacheFallback",
    ".sample.metadata.mode=staticTimeoutFallback", ".sample.metadata.mode=unknown",
    ".sample.metadata.status=partial", ".sample.metadata.status=skippedBudget",
    ".sample.metadata.status=disabled", ".sample.metadata.status=missingCache",
    ".sample.metadata.status=staleCache", ".sample.metadata.status=guardedError",
    ".sample.metadata.status=unknown", ".sample.metadata.reason=partial",
    ".sample.metadata.reason=skippedBudget", ".sample.metadata.reason=disabled",
    ".sample.metadata.reason=missingCache", ".sample.metadata.reason=staleCache",
    ".sample.metadata.reason=guardedError", ".sample.metadata.reason=unknown",
  ]

  @Test
  func `every member and every word of the orders and the read-outs is expected somewhere`() throws
  {
    let after = Self.words(.of(wait: true), path: "")
    var found: Set<String> = []
    for vector in try ConformanceSuite.vectors() {
      for step in vector.steps { Self.said(.object(step.expected), path: "", into: &found) }
    }
    // After a wait each request is looked at like that of an event.
    let wanted = after.filter { !$0.hasPrefix(".requests.") || $0 == ".requests.at" }
    #expect(wanted.subtracting(found).subtracting(Self.impossible).sorted() == [])
    #expect(Self.impossible.intersection(found).sorted() == [])
  }

  @Test
  func `every event, outcome and word that a machine can be told is told somewhere`() throws {
    var found: Set<String> = []
    for file in ConformanceSuite.files {
      guard case .object(let document) = try JSONReader.value(of: file.bytes),
        case .list(let vectors)? = document["vectors"]
      else { continue }
      for case .object(let vector) in vectors {
        Self.said(vector["policy"] ?? .null, path: "policy", into: &found)
        guard case .list(let steps)? = vector["steps"] else { continue }
        for case .object(let step) in steps {
          Self.said(step["event"] ?? .null, path: "event", into: &found)
          Self.said(step["with"] ?? .null, path: "with", into: &found)
          Self.said(step["random"] ?? .null, path: "random", into: &found)
        }
      }
    }
    var wanted: Set<String> = ["with.interval", "with.interval=null", "with.generation", "random"]
    wanted.formUnion(VectorReader.eventNames.map { "event=\($0)" })
    wanted.formUnion(AnswerReader.outcomeNames.map { "with.answer.outcome=\($0)" })
    wanted.formUnion(CaseNames.of(Lifecycle.self).map { "with.to=\($0)" })
    wanted.formUnion(CaseNames.of(Connectivity.self).map { "with.to=\($0)" })
    wanted.formUnion(CaseNames.of(Activity.self).map { "with.is=\($0)" })
    wanted.formUnion(CaseNames.of(Activity.self).map { "with.answer.activity=\($0)" })
    wanted.formUnion(CaseNames.of(RefreshRequest.Reason.self).map { "with.reason=\($0)" })
    wanted.formUnion(CaseNames.of(ResponseMode.self).map { "with.answer.metadata.mode=\($0)" })
    wanted.formUnion(
      CaseNames.of(RealtimeStatus.self).map { "with.answer.metadata.status=\($0)" }
    )
    wanted.formUnion(
      CaseNames.of(RealtimeStatus.self).map { "with.answer.metadata.reason=\($0)" }
    )
    wanted.formUnion(
      ["person", "hardRefresh", "schedule", "change"].map { "with.refresh=\($0)" }
    )
    for name in ["isForced", "isUnconditional", "showsLoading", "isResumed"] {
      wanted.formUnion(["with.\(name)=true", "with.\(name)=false"])
    }
    wanted.formUnion(
      [
        "retryAfter.seconds", "retryAfter.date", "hints.nextExpectedAt", "hints.maxAge",
        "hints.spread", "metadata.serverTime", "metadata.fetchedAt", "metadata.cacheAge",
        "metadata.transit",
        "metadata.truncation",
        "metadata.appliedFlag=true", "metadata.appliedFlag=false", "deviceTime", "bytes", "status",
        "delay", "decoding",
        "reason", "validator", "hasRealtime=true", "fulfilsAction=true",
      ].map { "with.answer.\($0)" }
    )
    wanted.formUnion(PolicyDocument.presets.map { "policy.preset=\($0.name)" })
    wanted.formUnion(["lowest", "middle", "highest"].map { "random=\($0)" })
    wanted.formUnion(
      ["policy.jitter=none", "policy.jitter=full"]
        + ["signed", "within", "share", "above"].map { "policy.jitter.\($0)" }
    )
    #expect(wanted.subtracting(found).sorted() == [])
  }
}
