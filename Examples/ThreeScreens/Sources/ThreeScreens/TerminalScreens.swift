#if !canImport(SwiftUI)
import FreshetKit

// The same models where there is no SwiftUI: each screen prints its lines whenever they change.

@MainActor
func boardScreen(_ model: BoardModel) -> [String] {
  let rows = model.board?.departures ?? []
  return rows.map { "\($0.line ?? "")  \($0.destination ?? "")" }
    + [ageLine(model.state, model.age, model.message?.detail)]
}

@MainActor
func worktreesScreen(_ model: WorktreesModel) -> [String] {
  model.worktrees.map { "\($0.name)  \($0.activity.state.rawValue)" }
    + [ageLine(model.state, model.age, model.problem?.description ?? model.failure?.description)]
}

@MainActor
func importScreen(_ model: JobModel) -> [String] {
  let percent = Int(model.status.fraction * 100)
  return ["\(percent) %  \(model.status.progress.sentence)"]
    + model.results.map { "\($0.number)  \($0.book?.title ?? "")" }
    + [ageLine(model.state, model.age, model.problem?.description)]
}

func ageLine(_ state: LiveState, _ age: Duration?, _ problem: String?) -> String {
  let ago = age.map { "updated \($0.components.seconds) s ago" }
  return [state.rawValue, ago, problem].compactMap { $0 }.joined(separator: " · ")
}
#endif
