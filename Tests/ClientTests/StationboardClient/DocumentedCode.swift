import ConditionalHTTP
import Foundation
import FreshnessRuntime
import Stationboard
import StationboardClient

// The code of the documentation, word for word: what is shown compiles (DocumentationTests).

func follow(_ stop: String, over exchange: some HTTPExchange) async throws {
  let client = FreshnessClient(exchange: exchange, policy: .departuresLive)
  let board = BoardResource(server: try HTTPAddress("http://127.0.0.1:8080"), stop: stop)
  for await snapshot in client.snapshots(of: board) {
    let rows = snapshot.value?.board.departures ?? []
    print(rows.count, "departures", snapshot.failure?.description ?? "")
  }
}

@MainActor
func makeModel(_ exchange: some HTTPExchange) throws -> BoardModel {
  let model = try BoardModel(
    server: "http://127.0.0.1:8080",
    exchange: exchange,
    language: BoardLanguage(tag: "de-CH"),
    defaults: .standard
  )
  model.open(FavouriteStop(id: "8501120", name: "Lausanne"))
  return model
}

@MainActor
func advice(_ model: BoardModel) -> String {
  guard let message = model.message else { return "" }
  switch message.action {
  case .retry: return message.text + " (pull down to try again)"
  case .chooseStop, .checkSettings, .wait: return message.text
  }
}
