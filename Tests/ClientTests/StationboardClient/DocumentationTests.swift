import Foundation
import FreshnessTesting
import StationboardClient
import Testing

@Suite("The documentation of StationboardClient")
struct DocumentationTests {
  @Test
  func `Every code block of an article is in DocumentedCode, which compiles`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: here.appending(path: "DocumentedCode.swift"), encoding: .utf8)
    let catalogue = here.appending(
      path: "../../../Sources/Boards/StationboardClient/StationboardClient.docc"
    )
    let files = try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
    var blocks = 0
    for file in files where file.hasSuffix(".md") {
      let text = try String(contentsOf: catalogue.appending(path: file), encoding: .utf8)
      for part in text.components(separatedBy: "```swift\n").dropFirst() {
        let block = part.components(separatedBy: "```")[0]
        #expect(code.contains(block), "\(file): \(block)")
        blocks += 1
      }
    }
    #expect(blocks == 3)
  }

  @Test
  @MainActor
  func `The documented model opens its stop`() async throws {
    // This one runs by the machine's clock, and a busy machine may need several attempts.
    let replies = Array(repeating: BoardStand.ok(BoardStand.board()), count: 100)
    let exchange = ScriptedExchange(replies)
    let model = try makeModel(exchange)
    #expect(model.stop?.name == "Lausanne" && model.language == .de)
    #expect(await BoardStand.eventually { model.board != nil })
    #expect(advice(model) == "")
    model.close()
  }
}
