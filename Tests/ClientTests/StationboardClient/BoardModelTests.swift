import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Stationboard
import StationboardClient
import Testing

@Suite("The board model")
@MainActor
struct BoardModelTests {
  private func model(
    language: BoardLanguage = .en,
    defaults: UserDefaults? = nil,
    _ reply: @escaping @Sendable (String) -> ScriptedExchange.Reply
  ) throws -> (BoardModel, ScriptedExchange) {
    let exchange = ScriptedExchange(replying: { reply($0.request.path ?? "") })
    let model = try BoardModel(
      server: "http://board.example",
      exchange: exchange,
      language: language,
      defaults: defaults
    )
    return (model, exchange)
  }

  @Test
  func `A search gives stops, and a stop gives its board`() async throws {
    let (model, _) = try model { path in
      path.contains("/stops/search")
        ? BoardStand.ok("{\"stops\":[{\"id\":\"8501120\",\"name\":\"Lausanne\"}]}")
        : BoardStand.ok(BoardStand.board(lines: ["9", "S1"]))
    }
    model.query = "l"
    #expect(!model.isSearching)
    model.query = "laus"
    #expect(model.isSearching)
    #expect(await BoardStand.eventually { model.matches.first?.name == "Lausanne" })
    #expect(!model.isSearching && model.searchMessage == nil)
    model.open(model.matches[0])
    #expect(await BoardStand.eventually { model.board != nil })
    #expect(model.board?.departures.map(\.line) == ["9", "S1"])
    #expect(model.message == nil && model.label?.marker == .normal)
    #expect(model.freshness != nil && model.samples.first?.evidence.answered == "8501120")
    model.close()
    #expect(model.board == nil && model.stop == nil)
  }

  @Test
  func `Another stop takes the place of the old one at once`() async throws {
    let (model, _) = try model { path in
      path.contains("stop_id=1") ? BoardStand.ok(BoardStand.board("1")) : .held
    }
    model.open(FavouriteStop(id: "1", name: "One"))
    #expect(await BoardStand.eventually { model.board?.station?.id == "1" })
    model.open(FavouriteStop(id: "2", name: "Two"))
    #expect(model.board == nil && model.stop?.name == "Two")
  }

  @Test
  func `A failure is shown beside the board and says what to do`() async throws {
    let (model, exchange) = try model { path in
      BoardStand.ok(BoardStand.board())
    }
    model.open(FavouriteStop(id: "8501120", name: "Lausanne"))
    #expect(await BoardStand.eventually { model.board != nil })
    exchange.add(BoardStand.status(.notFound))
    model.refresh()
    #expect(await BoardStand.eventually { model.message != nil })
    #expect(model.message?.action == .chooseStop)
    #expect(model.message?.text == "The server does not know this stop. Choose another one.")
    #expect(model.board != nil)
    model.refresh()
    #expect(await BoardStand.eventually { model.message == nil })
  }

  @Test
  func `A search that fails says so in the person's language`() async throws {
    let (model, _) = try model(language: .fr) { _ in
      .failure(HTTPExchangeError(.unreachable, "the cable is cut"))
    }
    model.query = "lausanne"
    #expect(await BoardStand.eventually { model.searchMessage != nil })
    #expect(model.searchMessage?.text.hasPrefix("Le serveur est injoignable") == true)
    #expect(model.searchMessage?.detail == "the cable is cut")
  }

  @Test
  func `Every failure has its own words in four languages, and an action`() {
    let failures: [StationboardFailure.Code] = [
      .invalidAddress, .unreachable, .server, .refused,
    ]
    for code in failures {
      let texts = BoardLanguage.allCases.map { language in
        BoardMessage(StationboardFailure(code, "detail"), in: language).text
      }
      #expect(Set(texts).count == 4)
    }
    let english = failures.map { BoardMessage(StationboardFailure($0, ""), in: .en).text }
    #expect(Set(english).count == failures.count)
  }

  @Test
  func `Favourites are unique, newest first, at most fifty, and survive`() throws {
    let name = "freshet-test-\(UInt64.random(in: 0 ... .max))"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removePersistentDomain(forName: name) }
    let (model, _) = try model(defaults: defaults) { _ in .held }
    for number in 0..<60 { model.toggleFavourite(FavouriteStop(id: "\(number)", name: "Stop")) }
    #expect(model.favourites.stops.count == 50 && model.favourites.stops[0].id == "59")
    model.toggleFavourite(FavouriteStop(id: "40", name: "Stop"))
    #expect(!model.favourites.contains("40") && model.favourites.stops.count == 49)
    #expect(FavouriteStops(savedIn: defaults) == model.favourites)
    defaults.set(Data("nonsense".utf8), forKey: "stationboard.favourites.v1")
    #expect(FavouriteStops(savedIn: defaults).stops.isEmpty)
  }

  @Test
  func `An invalid address is an error`() {
    #expect(throws: StationboardFailure.self) {
      try BoardModel(server: "ftp://x", exchange: ScriptedExchange())
    }
  }
}
