#if canImport(SwiftUI)
import FreshetKit
import SwiftUI

struct WorktreesScreen: View {
  @State var model: WorktreesModel

  var body: some View {
    List(model.worktrees, id: \.id) { worktree in
      Button("\(worktree.name)  \(worktree.activity.state.rawValue)") {
        Task { await model.make(.seen(worktree.id)) }
      }
    }
    .task { await model.observe() }
    .safeAreaInset(edge: .bottom) { AgeLine(model.state, model.age, model.problem?.description) }
  }
}
#endif
