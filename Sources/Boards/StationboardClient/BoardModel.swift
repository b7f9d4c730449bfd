public import ConditionalHTTP
public import Foundation
public import Freshness
public import FreshnessRuntime
public import Observation
public import Stationboard

/// Everything a departure-board app shows: search, the open stop and its live board, favourites, and
/// what is wrong, as observable properties.
///
/// ```swift
/// let model = try BoardModel(server: "https://example.org", exchange: exchange, streaming: exchange)
/// model.query = "lausanne"                 // model.matches follows
/// model.open(model.matches[0])             // model.board follows, for as long as the stop is open
/// ```
///
/// The engine keeps the open board fresh (``FreshnessRuntime/FreshnessClient``): another stop takes the
/// place of the old one at once (R4), a failure stands beside the board and never erases it (R22).
@MainActor
@Observable
public final class BoardModel {
  /// The wait after a letter before a search begins (mesdeparts.md 4.1).
  public static let debounce = Duration.milliseconds(180)
  /// The fewest letters that are searched for.
  public static let fewestLetters = 2
  /// The most stops that a search gives.
  public static let mostMatches = 10

  /// What a person typed into the search.
  public var query = "" { didSet { if query != oldValue { search() } } }
  /// The stops that fit ``query``, best first.
  public private(set) var matches: [StopMatch] = []
  /// Whether a search is under way.
  public private(set) var isSearching = false
  /// What went wrong with the last search.
  public private(set) var searchMessage: BoardMessage?

  /// The stop whose board is open.
  public private(set) var stop: FavouriteStop?
  /// The stops that the person saved.
  public private(set) var favourites: FavouriteStops

  /// The language of names and messages.
  public var language: BoardLanguage {
    didSet {
      guard language != oldValue else { return }
      if let stop { open(stop) }
      search()
    }
  }

  /// The most departures of a board.
  public let limit: Int

  private var live: LiveResource<BoardResource>?
  @ObservationIgnored private let stops: BoardClient
  @ObservationIgnored private let client: FreshnessClient
  @ObservationIgnored private let policy: Policy
  @ObservationIgnored private let defaults: UserDefaults?
  @ObservationIgnored private var observation: Task<Void, Never>?
  @ObservationIgnored private var searching: Task<Void, Never>?

  /// Creates a model with no stop open.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `https://example.org`.
  ///   - exchange: Sends the requests.
  ///   - streaming: Opens streams; without it the board is polled only.
  ///   - policy: The constants of the engine.
  ///   - language: The language of names and messages.
  ///   - limit: The most departures of a board.
  ///   - defaults: Where favourites are kept; nowhere if there is none.
  ///   - clock: The time.
  /// - Throws: ``StationboardFailure`` if the address is none.
  public init(
    server: String,
    exchange: any HTTPExchange,
    streaming: (any HTTPStreaming)? = nil,
    policy: Policy = .departuresLive,
    language: BoardLanguage = .en,
    limit: Int = 20,
    defaults: UserDefaults? = nil,
    clock: HostClock = .device()
  ) throws(StationboardFailure) {
    stops = try BoardClient(server: server, exchange: exchange)
    client = FreshnessClient(
      exchange: exchange,
      streaming: streaming,
      policy: policy,
      clock: clock
    )
    self.policy = policy
    self.language = language
    self.limit = limit
    self.defaults = defaults
    favourites = defaults.map { FavouriteStops(savedIn: $0) } ?? FavouriteStops()
  }

  deinit {
    observation?.cancel()
    searching?.cancel()
  }

  // MARK: The open stop

  /// The board of the open stop; nothing before its first answer.
  public var board: Board? { live?.value?.board }
  /// What is wrong with the open board; it stays visible beside it.
  public var message: BoardMessage? {
    live?.failure.map { BoardMessage($0, in: language) }
  }
  /// Whether a person may be told that a request is out (R25).
  public var isLoading: Bool { live?.isLoading ?? false }
  /// The marker, the badge and the age, as of the last change (R26).
  public var label: FreshnessLabel? { live?.label }
  /// What the board rests on, for the words beside its age; `nil` if the marker of ``label`` says it all.
  public var realtimeLabel: RealtimeLabel? {
    guard let label, !label.isHeld else { return nil }
    return RealtimeLabel(label.marker, of: board)
  }
  /// How fresh the board is now; for a label that counts the seconds (R27, R28).
  public var freshness: FreshnessReport? { live?.freshness }

  /// Opens a stop that a search found.
  public func open(_ match: StopMatch) { open(FavouriteStop(match)) }

  /// Opens a stop; the board of the one before is gone at once (R4).
  public func open(_ stop: FavouriteStop) {
    self.stop = stop
    let resource = BoardResource(
      server: stops.server,
      stop: stop.id,
      limit: limit,
      language: language.rawValue,
      constants: policy
    )
    if let live {
      live.resource = resource
      return
    }
    let live = LiveResource(resource, client: client)
    self.live = live
    observation = Task { await live.observe() }
  }

  /// Closes the stop: nothing is asked for any more.
  public func close() {
    observation?.cancel()
    observation = nil
    live = nil
    stop = nil
  }

  /// A person wishes for a fresh board, as by pulling it down.
  public func refresh() { live?.refresh() }

  /// The application moved to the front or to the back (R11).
  public func lifecycle(_ lifecycle: Lifecycle) { client.lifecycle(lifecycle) }

  /// The network came, went or began to cost (R24).
  public func connectivity(_ connectivity: Connectivity) { client.connectivity(connectivity) }

  /// The newest requests for the open board, for diagnostics and export (R29).
  public var samples: [SampleRecord] {
    live.map { client.samples(of: $0.resource) } ?? []
  }

  // MARK: Favourites

  /// Whether the open stop is a favourite.
  public var isFavourite: Bool { stop.map { favourites.contains($0.id) } ?? false }

  /// Saves a stop, or removes it if it is saved.
  public func toggleFavourite(_ stop: FavouriteStop) {
    if favourites.contains(stop.id) { favourites.remove(stop.id) } else { favourites.add(stop) }
    if let defaults { favourites.save(in: defaults) }
  }

  // MARK: Search

  private func search() {
    searching?.cancel()
    searchMessage = nil
    let wanted = query.trimmingCharacters(in: .whitespacesAndNewlines)
    guard wanted.count >= Self.fewestLetters else {
      matches = []
      isSearching = false
      return
    }
    isSearching = true
    let (stops, language) = (stops, language)
    searching = Task { [weak self] in
      guard (try? await Task.sleep(for: Self.debounce)) != nil else { return }
      let answer = await Self.find(wanted, stops, language)
      // An answer to what nobody searches for any more changes nothing (R3).
      guard !Task.isCancelled, let self else { return }
      self.isSearching = false
      switch answer {
      case .success(let found): self.matches = found
      case .failure(let failure): self.searchMessage = BoardMessage(failure, in: language)
      }
    }
  }

  private nonisolated static func find(
    _ wanted: String,
    _ stops: BoardClient,
    _ language: BoardLanguage
  ) async -> Result<[StopMatch], StationboardFailure> {
    do throws(StationboardFailure) {
      return .success(
        try await stops.stops(matching: wanted, limit: mostMatches, language: language.rawValue)
      )
    } catch {
      return .failure(error)
    }
  }
}
