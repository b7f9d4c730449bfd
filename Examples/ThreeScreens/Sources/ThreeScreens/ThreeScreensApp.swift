#if canImport(SwiftUI)
import FreshetKit
import SwiftUI

@main
struct ThreeScreensApp: App {
  @State private var board = try? BoardModel(server: "https://example.org", store: copies)
  @State private var worktrees = try? WorktreesModel(server: "http://127.0.0.1:8080")
  @State private var books = try? JobModel(server: "http://127.0.0.1:8080")
  /// They report the lifecycle of the app and the network while they live.
  @State private var device: [DeviceObservation] = []

  private static let copies = CopyStore(inCachesNamed: "org.example.ThreeScreens")

  var body: some Scene {
    WindowGroup {
      TabView {
        if let board { BoardScreen(model: board) }
        if let worktrees { WorktreesScreen(model: worktrees) }
        if let books { ImportScreen(model: books, table: []) }
      }
      .task {
        board?.open(FavouriteStop(id: "8501120", name: "Lausanne"))
        device = [board?.observeDevice(), worktrees?.client.observeDevice()].compactMap { $0 }
      }
    }
  }
}
#endif
