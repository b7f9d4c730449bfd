import StationboardClient
import SwiftUI
import URLSessionTransport

@main
struct DepartureBoardApp: App {
  @Environment(\.scenePhase) private var phase
  @State private var model = try? BoardModel(
    server: "http://127.0.0.1:8080",
    exchange: URLSessionExchange(),
    language: BoardLanguage(tag: Locale.current.language.languageCode?.identifier ?? "en"),
    defaults: .standard
  )

  var body: some Scene {
    WindowGroup {
      if let model {
        BoardView(model: model)
      } else {
        ContentUnavailableView("The server's address is none.", systemImage: "xmark.octagon")
      }
    }
    .onChange(of: phase) {
      model?.lifecycle(phase == .active ? .foreground : .background)
    }
  }
}
