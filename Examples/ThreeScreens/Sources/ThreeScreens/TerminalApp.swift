#if !canImport(SwiftUI)
import Foundation
import FreshetKit
import Observation

/// `ThreeScreens board URL STOP [FOLDER]`, `ThreeScreens worktrees URL [DELETE]`, or
/// `ThreeScreens import URL FILE`.
@main
@MainActor
struct TerminalApp {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count >= 3 else { return usage() }
    switch words[1] {
    case "board" where words.count >= 4:
      let folder = words.count > 4 ? URL(fileURLWithPath: words[4]) : nil
      let store = folder.map { CopyStore(folder: $0) }
      let model = try BoardModel(server: words[2], store: store)
      model.open(FavouriteStop(id: words[3], name: words[3]))
      await print { boardScreen(model) }
    case "worktrees":
      let model = try WorktreesModel(server: words[2])
      Task { await model.observe() }
      if words.count > 3 { Task { await change(words[3], in: model) } }
      await print { worktreesScreen(model) }
    case "import" where words.count >= 4:
      let model = try JobModel(server: words[2])
      let table = try Data(contentsOf: URL(fileURLWithPath: words[3]))
      Task { await run(Array(table), in: model) }
      await print(until: {
        model.status.ending != nil && !model.results.isEmpty && !model.hasMoreResults
      }) {
        importScreen(model)
      }
    default: usage()
    }
  }

  /// Deletes a worktree as soon as it is there.
  private static func change(_ name: String, in model: WorktreesModel) async {
    for await found in Observations({ model.worktrees.first { $0.name.hasSuffix(name) } }) {
      guard let found else { continue }
      let isDone = await model.make(.delete(found.id, isForced: false, removesBranch: false))
      write(isDone ? "changed" : "refused: \(model.problem?.description ?? "")")
      return
    }
  }

  /// Imports a table, and loads all results once it ended.
  private static func run(_ table: [UInt8], in model: JobModel) async {
    guard await model.start(.csvImport, content: table, type: "text/csv") else {
      write("refused: \(model.problem?.description ?? "")")
      exit(1)
    }
    for await isOver in Observations({ model.status.ending != nil }) where isOver { break }
    repeat { await model.loadResults() } while model.hasMoreResults && model.problem == nil
  }

  /// Prints a screen whenever it changes.
  private static func print(
    until isOver: @escaping @MainActor () -> Bool = { false },
    _ screen: @escaping @MainActor () -> [String]
  ) async {
    for await (lines, isOver) in Observations({ (screen(), isOver()) }) {
      write(lines.joined(separator: "\n") + "\n")
      if isOver { return }
    }
  }

  /// Writes at once, where `print` waits for a buffer to fill.
  private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  private static func usage() {
    write("ThreeScreens board URL STOP [FOLDER] | worktrees URL [DELETE] | import URL FILE")
  }
}
#endif
