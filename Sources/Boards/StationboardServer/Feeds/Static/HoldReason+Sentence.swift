import Foundation
package import Timetable

extension DataFolder {
  /// What passengers lose by a generation, if it was compared with another one.
  package func changes(of key: String, generation: String) -> ServiceChanges? {
    let path = folder(of: key, generation: generation) + "/" + StaticCheck.changesName
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return try? JSONDecoder().decode(ServiceChanges.self, from: data)
  }
}

extension FeedManifest.HoldReason {
  /// Why a generation is held back, in a sentence.
  package func sentence(_ changes: ServiceChanges?, maxLostShare: Double?) -> String {
    switch self {
    case .losses:
      let share = changes.map { ServiceChanges.percent($0.lostShare) } ?? "too many"
      let limit = maxLostShare.map { " (allowed: \(ServiceChanges.percent($0)))" } ?? ""
      let moved = changes?.movedSentence.map { "; \($0)" } ?? ""
      let first = changes?.lines.first.map { "; \($0.sentence)" } ?? ""
      return "held back: \(share) of the departures would be lost\(limit)\(moved)\(first)"
    case .expired: return "held back: its last day is over"
    case .older: return "held back: the file is older than the one that serves"
    case .rolledBack: return "held back: it was rolled back"
    }
  }
}
