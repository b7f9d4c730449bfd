#if canImport(SwiftUI)
import FreshetKit
import SwiftUI

struct ImportScreen: View {
  @State var model: JobModel
  var table: [UInt8]

  var body: some View {
    VStack {
      ProgressView(model.status.progress.sentence, value: model.status.fraction)
      Button("Import") { Task { await model.start(.csvImport, content: table, type: "text/csv") } }
        .disabled(model.isStarting || model.isRunning)
    }
    .safeAreaInset(edge: .bottom) { AgeLine(model.state, model.age, model.problem?.description) }
  }
}
#endif
