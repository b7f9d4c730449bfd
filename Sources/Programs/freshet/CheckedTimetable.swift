import Commands
import StationboardServer
import Timetable

/// What came of asking the source of a timetable.
struct CheckedTimetable: Encodable {
  var key: String
  /// A word of ``StaticSchedule/Outcome``.
  var outcome: String
  /// Whether the content can be used, or is the one that is used already.
  var isUsable: Bool
  /// Why it is not used, or why there is none.
  var reason: String?
  /// The new generation.
  var generation: String?
  /// What passengers lose by it.
  var changes: [String]?
  private var sentence: String

  private enum CodingKeys: CodingKey {
    case key, outcome, isUsable, reason, generation, changes
  }

  /// Creates the result; without a report there was nothing to ask.
  init(key: String, _ report: StaticCheck.Report?) {
    let outcome = report?.outcome ?? .unchanged
    self.key = key
    self.outcome = outcome.rawValue
    isUsable = outcome != .refused && outcome != .failed
    reason = report?.reason
    generation = report?.generation
    changes = report?.changes?.sentences
    sentence =
      switch outcome {
      case .unchanged: "nothing new"
      case .serves: "a new timetable serves"
      case .waits: "a new timetable waits for its first day"
      case .held: "a new timetable is held back; take it with: freshet feeds accept"
      case .refused: "what came is not a feed that can be used"
      case .failed: "nothing usable came"
      }
  }

  /// Some lines for a person.
  var text: String {
    let details = [reason].compactMap(\.self) + (changes ?? [])
    return "\(key): \(sentence)\n" + details.map { "  \(Terminal.plain($0))\n" }.joined()
  }
}
