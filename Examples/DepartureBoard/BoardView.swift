import Freshness
import Stationboard
import StationboardClient
import SwiftUI

/// Search, favourites and the live board of the open stop.
struct BoardView: View {
  @Bindable var model: BoardModel

  var body: some View {
    NavigationStack {
      List {
        if let message = model.message ?? model.searchMessage {
          Label(message.text, systemImage: "exclamationmark.triangle")
          if message.action == .retry { Button("Try again") { model.refresh() } }
        }
        if model.stop == nil || !model.query.isEmpty {
          ForEach(model.matches, id: \.id) { match in
            Button(match.name) {
              model.open(match)
              model.query = ""
            }
          }
          ForEach(model.favourites.stops) { stop in
            Button(stop.name, systemImage: "star") { model.open(stop) }
          }
        } else {
          ForEach(model.board?.departures ?? [], id: \.self) { DepartureRow(departure: $0) }
        }
      }
      .navigationTitle(model.stop?.name ?? "Departures")
      .searchable(text: $model.query)
      .refreshable { model.refresh() }
      .toolbar {
        if let stop = model.stop {
          Button("Favourite", systemImage: model.isFavourite ? "star.fill" : "star") {
            model.toggleFavourite(stop)
          }
        }
      }
      .safeAreaInset(edge: .bottom) {
        // The age counts the seconds by itself (R27).
        TimelineView(.periodic(from: .now, by: 1)) { _ in Text(age).font(.footnote) }
      }
    }
  }

  private var age: String {
    switch model.freshness?.label.wording {
    case .seconds(let count): "updated \(count) s ago"
    case .minutes(let count): "updated \(count) min ago"
    case .hours(let count): "updated \(count) h ago"
    case nil: ""
    }
  }
}

/// One departure.
struct DepartureRow: View {
  let departure: Departure

  var body: some View {
    HStack {
      Text(departure.line ?? "").bold().frame(minWidth: 44)
      Text(departure.destination ?? "").strikethrough(departure.cancelled)
      Spacer()
      if let platform = departure.platform {
        Text(platform).foregroundStyle(departure.platformChanged == true ? .orange : .secondary)
      }
      if let delay = departure.delayMin, delay > 1 { Text("+\(delay)").foregroundStyle(.orange) }
    }
  }
}
