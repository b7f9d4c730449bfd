import Commands
import StationboardServer
import Timetable

/// The outcome of a request to the source of a timetable.
struct CheckedTimetable: Encodable {
  var key: String
  /// A word of ``StaticSchedule/Outcome``.
  var outcome: String
  /// Whether the content can be used, or is the one that is used already.
  var isUsable: Bool
  /// Why it is not used, or the reason for its absence.
  var reason: String?
  /// The new generation.
  var generation: String?
  /// What passengers lose by it.
  var changes: [String]?
  /// The generation that an earlier check held back, if it still is.
  var held: ListedFeed.Generation?
  private var sentence: String

  private enum CodingKeys: CodingKey {
    case key, outcome, isUsable, reason, generation, changes, held
  }

  /// Creates the result; without a report there was nothing to ask.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - report: What came of the check.
  ///   - held: The generation that is held back after it.
  init(key: String, _ report: StaticCheck.Report?, held: ListedFeed.Generation? = nil) {
    let outcome = report?.outcome ?? .unchanged
    self.key = key
    self.outcome = outcome.rawValue
    isUsable = outcome != .refused && outcome != .failed
    reason = report?.reason
    generation = report?.generation
    changes = report?.changes?.sentences
    if let held, held.name != report?.generation { self.held = held }
    sentence =
      switch outcome {
      case .unchanged: "nothing new"
      case .serves: "a new timetable serves"
      case .waits: "a new timetable waits for its first day"
      case .held: "a new timetable is held back; take it with: \(Self.accepting(key))"
      case .refused: "what came is not a feed that can be used"
      case .failed: "nothing usable came"
      }
  }

  /// The command that lets the generation of a feed serve that is held back.
  private static func accepting(_ key: String) -> String {
    "freshet feeds accept" + (key == FeedManifest.defaultKey ? "" : " --prefix \(key)")
  }

  /// Some lines for a person.
  var text: String {
    var details = [reason].compactMap(\.self) + (changes ?? [])
    if let held {
      details.append("\(held.name) is still \(held.reason ?? "held back")")
      details += (held.changes ?? []).map { "  \($0)" }
      details.append("  take it with: \(Self.accepting(key))")
    }
    return "\(key): \(sentence)\n" + details.map { "  \(Terminal.plain($0))\n" }.joined()
  }
}
