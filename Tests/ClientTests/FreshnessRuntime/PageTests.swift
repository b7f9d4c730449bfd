import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@MainActor
@Suite("LivePages")
struct PageTests {
  struct Page: Codable, Equatable, Sendable {
    var items: [Int]
    var next: Int?
  }

  nonisolated static func resource(_ number: Int) -> JSONResource<Page> {
    JSONResource(notesURL("/?page=\(number)"))
  }

  static func list(_ client: FreshnessClient) -> LivePages<JSONResource<Page>> {
    LivePages(first: resource(0), client: client) { $0.next.map { resource($0) } }
  }

  nonisolated static func reply(_ items: [Int], next: Int?) -> ScriptedExchange.Reply {
    .json(#"{"items":\#(items),"next":\#(next.map(String.init) ?? "null")}"#)
  }

  nonisolated static func number(_ sent: ScriptedExchange.Sent) -> Int {
    Int(sent.request.path?.split(separator: "=").last ?? "") ?? -1
  }

  @Test
  func `pages arrive one after the other, each on demand, to the last`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange(replying: { sent in
        let number = Self.number(sent)
        return Self.reply([number], next: number < 2 ? number + 1 : nil)
      })
    )
    let list = Self.list(stand.client)
    let task = Task { await list.observe() }
    #expect(await eventually { list.pages.count == 1 })
    #expect(list.hasMore && stand.exchange.sent.count == 1)
    for count in 2...3 {
      list.loadNext()
      // A second request while a page is loading is the same request.
      list.loadNext()
      #expect(await eventually { list.pages.count == count })
    }
    #expect(list.pages.flatMap(\.items) == [0, 1, 2])
    #expect(!list.hasMore && !list.isLoading && list.failure == nil)
    list.loadNext()
    #expect(stand.exchange.sent.count == 3 && stand.client.counters.observed == 3)
    task.cancel()
    await task.value
    #expect(await eventually { stand.client.counters.observed == 0 })
  }

  @Test
  func `a page that names another next page replaces the pages after it`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange(replying: { sent in
        switch Self.number(sent) {
        case 0: Self.reply([0], next: sent.number == 1 ? 1 : 2)
        case 1: Self.reply([1], next: nil)
        default: Self.reply([2], next: nil)
        }
      })
    )
    let list = Self.list(stand.client)
    let task = Task { await list.observe() }
    #expect(await eventually { list.pages.count == 1 })
    list.loadNext()
    #expect(await eventually { list.pages.flatMap(\.items) == [0, 1] })
    list.refresh()
    #expect(await eventually { list.pages.flatMap(\.items) == [0, 2] })
    #expect(await eventually { stand.client.counters.observed == 2 })
    task.cancel()
    await task.value
  }

  @Test
  func `a list that shrinks loses the pages that it does not have any more`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange(replying: { sent in
        Self.reply([Self.number(sent)], next: sent.number == 1 ? 1 : nil)
      })
    )
    let list = Self.list(stand.client)
    let task = Task { await list.observe() }
    #expect(await eventually { list.pages.count == 1 })
    list.loadNext()
    #expect(await eventually { list.pages.count == 2 })
    list.refresh()
    #expect(await eventually { list.pages.count == 1 && stand.client.counters.observed == 1 })
    #expect(!list.hasMore)
    task.cancel()
    await task.value
  }

  @Test
  func `an endless list is kept up to the limit`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange(replying: { sent in
        Self.reply([Self.number(sent)], next: Self.number(sent) + 1)
      })
    )
    let list = Self.list(stand.client)
    let task = Task { await list.observe() }
    let most = LivePages<JSONResource<Page>>.mostPages
    for count in 1...most {
      #expect(await eventually { list.pages.count == count })
      list.loadNext()
    }
    #expect(!list.hasMore && list.pages.count == most)
    #expect(stand.client.counters.observed == most)
    task.cancel()
    await task.value
  }
}

@Suite("DeviceObservation")
struct DeviceObservationTests {
  @Test
  func `R11: the notifications of the platform move the lifecycle, until the observation ends`()
    async throws
  {
    let stand = Stand(exchange: ScriptedExchange(replying: { _ in .applied("one") }))
    let center = NotificationCenter()
    var observation: DeviceObservation? = stand.client.observeDevice(center: center)
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    func pace() -> Pace? { stand.client.freshness(of: Note("/a"))?.pace }
    for (out, back) in [
      (
        "UIApplicationDidEnterBackgroundNotification",
        "UIApplicationWillEnterForegroundNotification"
      ),
      ("NSApplicationDidHideNotification", "NSApplicationDidUnhideNotification"),
    ] {
      center.post(name: Notification.Name(out), object: nil)
      #expect(pace() == .background)
      center.post(name: Notification.Name(back), object: nil)
      #expect(pace() != .background)
    }
    withExtendedLifetime(observation) {}
    observation = nil
    center.post(
      name: Notification.Name("UIApplicationDidEnterBackgroundNotification"),
      object: nil
    )
    #expect(pace() != .background)
  }

  @Test
  func `R24, R35: a path that costs is metered, and one that cannot be used is offline`() {
    let path = { Connectivity(isReachable: $0, isExpensive: $1, isConstrained: $2) }
    #expect(path(true, false, false) == .online)
    #expect(path(true, true, false) == .metered)
    #expect(path(true, false, true) == .metered)
    #expect(path(false, true, true) == .offline)
  }
}
