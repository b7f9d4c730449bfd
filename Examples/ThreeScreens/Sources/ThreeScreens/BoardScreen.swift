#if canImport(SwiftUI)
import FreshetKit
import SwiftUI

struct BoardScreen: View {
  @State var model: BoardModel

  var body: some View {
    List(model.board?.departures ?? [], id: \.self) { departure in
      Text("\(departure.line ?? "")  \(departure.destination ?? "")")
    }
    .navigationTitle(model.stop?.name ?? "Departures")
    .refreshable { await model.refresh() }
    .safeAreaInset(edge: .bottom) { AgeLine(model.state, model.age, model.message?.text) }
  }
}
#endif
