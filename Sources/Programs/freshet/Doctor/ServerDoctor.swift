import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import GTFS
import HTTPTypes
import JobsServer
import NIOTransport
import PostgresClient
import ServeSettings
import Serving
import StationboardServer
import Storage
import Timetable

/// Checks everything that `freshet serve` needs, and changes nothing.
struct ServerDoctor {
  let file: ConfigurationFile?
  let folder: DataFolder
  /// The folder of the timetables as an option named it; `nil` without the option.
  let named: String?
  let exchange: NIOExchange
  let clock: ServiceClock
  var checkup = Checkup()
  /// How far the clocks of servers that answered are ahead of the machine's, in seconds.
  private var differences: [Double] = []
  /// Whether no timetable is here, and no source brings one.
  var lacksTimetables = false
  /// Whether another user has placed a link in the data folder, which is not read then.
  private var hasForeignLinks = false

  var settings: ServeSettings? { file?.settings }

  init(
    file: ConfigurationFile?,
    data: DataOption,
    exchange: NIOExchange,
    clock: ServiceClock
  ) {
    self.file = file
    folder = data.folder(or: file?.settings.data)
    named = data.data
    self.exchange = exchange
    self.clock = clock
  }

  /// Checks everything.
  ///
  /// - Parameter progress: Called with the name of what takes long.
  /// - Returns: What was found.
  mutating func examine(progress: (String) -> Void = { _ in }) async -> Checkup {
    checkup.add("version", .ok, "freshet \(StationboardService.version)")
    configuration()
    refusals()
    descriptors()
    data()
    progress("opening timetables")
    let feeds = timetables()
    await timetableSources(progress)
    await realtime(feeds, progress)
    progress("checking the database")
    await database()
    certificate()
    progress("trying the port")
    await port()
    machineClock()
    return checkup
  }

  // MARK: The machine

  private mutating func descriptors() {
    let budget = DescriptorBudget.raised()
    if let shortage = budget.shortage(DescriptorBudget.leastOfServer) {
      return checkup.add(
        "open files",
        .fail,
        shortage,
        "raise LimitNOFILE of the service, or ulimit -n"
      )
    }
    let wanted = settings?.limits["connections"] ?? ServerLimits().connections
    let fit = budget.connections(wanted)
    if fit < wanted {
      return checkup.add(
        "open files",
        .warn,
        "\(budget.descriptors) open files are enough for \(fit) of \(wanted) connections",
        "raise LimitNOFILE of the service, or ulimit -n"
      )
    }
    checkup.add("open files", .ok, "\(budget.descriptors), for \(wanted) connections")
  }

  private mutating func machineClock() {
    let now = Date().timeIntervalSince1970
    guard now >= DoctorLimits.earliest else {
      let shown = InstantText.write(now)
      return checkup.add(
        "clock",
        .fail,
        "it is \(shown), which is past",
        "set the clock, by NTP if possible"
      )
    }
    guard !differences.isEmpty else {
      return checkup.add("clock", .ok, "no server was asked that says the time")
    }
    // One of several may be wrong itself.
    let difference = differences.sorted()[differences.count / 2]
    guard abs(difference) > DoctorLimits.clockSeconds else {
      return checkup.add(
        "clock",
        .ok,
        "as that of \(differences.count == 1 ? "the server" : "servers") asked"
      )
    }
    checkup.add(
      "clock",
      .fail,
      "it is \(Quantity.plain(abs(difference).rounded())) s \(difference > 0 ? "behind" : "ahead of") those of servers asked:"
        + " ages and departures are wrong by that",
      "set the clock, by NTP if possible"
    )
  }

  /// Records the time that a response states.
  private mutating func note(_ fields: HTTPFields, asked: Double) {
    guard let date = fields[.date].flatMap({ HTTPDate(parsing: $0, now: Int64(asked)) }),
      fields[.age] == nil
    else { return }
    let now = Date().timeIntervalSince1970
    // It was made between request and response, and its fraction of a second is cut.
    let made = Double(date.secondsSince1970)
    let difference = made > now ? made - now : made + 1 < asked ? made + 1 - asked : 0
    differences.append(difference)
  }

  // MARK: Files

  private mutating func configuration() {
    guard let file else {
      return checkup.add("configuration", .ok, "none; --config FILE names one")
    }
    if file.isExposed {
      checkup.add(
        "configuration",
        .warn,
        "\(file.path) holds credentials and can be read by others",
        "chmod 600, or name an environment variable instead of the value"
      )
    } else {
      checkup.add("configuration", .ok, file.path)
    }
  }

  /// Reads what the server reads, and adds what it would refuse.
  private mutating func refusals() {
    do {
      let inputs = try inputs()
      for trial in inputs.trials {
        do {
          try trial.read()
        } catch {
          checkup.add(trial.name, .fail, reason(error), trial.advice)
        }
      }
    } catch {
      // What the environment has is checked with the options.
      checkup.add("environment", .fail, ServeCommand.message(for: error), "correct the variable")
    }
  }

  /// What the server would read.
  func inputs() throws -> ServeInputs {
    ServeInputs(command: try ServeCommand.parse(named.map { ["--data", $0] } ?? []), file: file)
  }

  /// What is wrong, without the command and the configuration file, which the checkup names already.
  private func reason(_ error: any Error) -> String {
    guard let failure = error as? CommandFailure else {
      return (error as? ValidationError)?.message ?? ErrorText.of(error)
    }
    var reason = failure.message
    let command = ["freshet serve: ", "freshet doctor: "]
    for prefix in command + ["--config \(file?.path ?? ""): "] where reason.hasPrefix(prefix) {
      reason.removeFirst(prefix.count)
    }
    return reason
  }

  /// Checks a folder that the server writes to, and the disk it is on.
  mutating func room(_ name: String, _ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    var place = URL(fileURLWithPath: path)
    if exists, !isFolder.boolValue {
      checkup.add(name, .fail, "\(path) is not a folder", "name another one, or move it aside")
      return false
    }
    while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
      place.deleteLastPathComponent()
    }
    guard access(place.path, R_OK | W_OK | X_OK) == 0 else {
      checkup.add(
        name,
        .fail,
        exists
          ? "\(path) may not be read and written by this user"
          : "\(path) is not there, and \(place.path) may not be written by this user",
        "run freshet doctor as the user of the server, or change the owner"
      )
      return false
    }
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    let mode = (facts?[.posixPermissions] as? Int) ?? 0
    if exists, mode & 0o002 != 0 {
      checkup.add(name, .warn, "\(path) can be written by everybody", "chmod o-w \(path)")
    }
    let system = try? FileManager.default.attributesOfFileSystem(forPath: place.path)
    guard let free = (system?[.systemFreeSize] as? NSNumber)?.int64Value else {
      checkup.add(name, .warn, "\(path): the free space is not known")
      return exists
    }
    let gigabytes = Quantity.plain((Double(free) / 1e7).rounded() / 100)
    let state: Checkup.State =
      free < DoctorLimits.leastFreeBytes ? .fail : free < DoctorLimits.warnFreeBytes ? .warn : .ok
    checkup.add(
      name,
      state,
      "\(path)\(exists ? "" : ", which will be made"); \(gigabytes) GB free",
      state == .ok ? nil : "make room; an import needs twice what the feed is stored in"
    )
    return exists
  }

  private mutating func data() {
    if !FileManager.default.fileExists(atPath: folder.path),
      (try? inputs().needsFolder) == false
    {
      return checkup.add("data", .ok, "\(folder.path) is not there; timetables are not served")
    }
    _ = room("data", folder.path)
    do throws(FeedError) {
      try folder.refuseForeignLinks()
    } catch {
      hasForeignLinks = true
      checkup.add(
        "data links",
        .fail,
        error.message,
        "run freshet doctor as the user of the server, or remove the link"
      )
    }
  }

  // MARK: Timetables and realtime

  private mutating func timetables() -> [Feed] {
    guard !hasForeignLinks else { return [] }
    var feeds: [Feed] = []
    let manifest: FeedManifest
    do throws(FeedError) {
      manifest = try folder.manifest()
    } catch {
      checkup.add("timetables", .fail, error.message, "restore the folder from a backup")
      return []
    }
    for entry in manifest.feeds {
      do throws(FeedError) {
        let feed = try Feed(entry, in: folder)
        feeds.append(feed)
        let left = feed.daysLeft(at: clock.now)
        let name = "timetable \(entry.key)"
        let until = "\(feed.timetable.firstDay) to \(feed.timetable.lastDay)"
        if left < 0 {
          checkup.add(name, .fail, "\(until): it is over", "freshet import a newer one")
        } else if left < StaticFeedLimits.expiryDays {
          checkup.add(name, .warn, "\(until): it ends in \(left) days", "see freshet feeds list")
        } else {
          checkup.add(name, .ok, until)
        }
        if let held = entry.held {
          let changes = folder.changes(of: entry.key, generation: held.generation.name)
          let why = held.reason.sentence(changes, maxLostShare: nil)
          checkup.add(name, .warn, "a new one is \(why)", "see freshet feeds list")
        }
      } catch {
        checkup.add("timetable \(entry.key)", .fail, error.message, "freshet import it again")
      }
    }
    return feeds
  }

  private mutating func timetableSources(_ progress: (String) -> Void) async {
    guard !hasForeignLinks else { return }
    var sources: [StaticSource] = []
    do {
      sources = try file?.staticSources() ?? []
      for source in try StaticSourceList(of: folder).all
      where !sources.contains(where: { $0.key == source.key }) { sources.append(source) }
    } catch {
      let advice =
        error is CommandFailure ? "correct the file" : "restore the folder from a backup"
      return checkup.add("sources", .fail, reason(error), advice)
    }
    let serves = checkup.checks.contains { $0.name.hasPrefix("timetable ") }
    lacksTimetables =
      sources.isEmpty && !serves && (settings?.jobs == nil || settings?.feeds.isEmpty == false)
    for source in sources {
      let name = "source of \(source.key)"
      let asked = Date().timeIntervalSince1970
      progress("fetching \(source.title)")
      switch await head(source.request) {
      case .success(let head) where [200, 304].contains(head.status.code):
        note(head.headerFields, asked: asked)
        checkup.add(name, .ok, "\(source.title) answers")
      case .success(let head):
        note(head.headerFields, asked: asked)
        checkup.add(
          name,
          .fail,
          "\(source.title) answers with status \(head.status.code)",
          advice(head.status.code)
        )
      case .failure(let error):
        checkup.add(
          name,
          .fail,
          "\(source.title): \(error.description)",
          "see whether the address is right and the network lets it through"
        )
      }
    }
  }

  private func advice(_ status: Int) -> String {
    switch status {
    case 401, 403: "see whether the key in headers is right"
    case 404, 410: "see whether the address is still right"
    default: "try again later, or ask the publisher"
    }
  }

  /// The head of a response; its content is not read.
  private func head(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPExchangeError> {
    let found = FoundHead()
    do throws(HTTPExchangeError) {
      try await exchange.stream(request, timeout: .seconds(DoctorLimits.headSeconds)) { part in
        if case .head(let head) = part { await found.set(head) }
        return .enough
      }
    } catch {
      return .failure(error)
    }
    guard let head = await found.head else {
      return .failure(HTTPExchangeError(.unreachable, "no response"))
    }
    return .success(head)
  }

  private mutating func realtime(_ feeds: [Feed], _ progress: (String) -> Void) async {
    let sources: [RealtimeSource]
    do {
      sources = try file?.sources(besides: []) ?? []
    } catch {
      return checkup.add("realtime", .fail, reason(error), "correct the file")
    }
    for source in sources {
      let name = "\(source.kind.rawValue)\(source.prefix.isEmpty ? "" : " \(source.prefix)")"
      guard let feed = feeds.first(where: { ($0.entry.prefix ?? "") == source.prefix }) else {
        let comes =
          settings?.feeds.contains { $0.prefix == source.prefix && $0.timetable != nil } ?? false
        checkup.add(
          name,
          comes ? .warn : .fail,
          "there is no timetable for \(source.title)\(comes ? " yet" : "")",
          comes ? "start the server, which fetches it, and check again" : "freshet import it first"
        )
        continue
      }
      let least =
        settings?.feeds.first { $0.prefix == source.prefix }?.leastMatchedPercent
        ?? MatchLimits.usualLeastPercent
      progress("fetching \(source.title)")
      let check = RealtimeCheck(source: source, exchange: exchange, clock: clock)
      let result = await check.run(against: feed, leastPercent: least)
      checkup.add(
        name,
        result.isGood ? .ok : .fail,
        "\(source.title): \(result.sentences.joined(separator: "; "))",
        result.isGood ? nil : "freshet doctor FEED REALTIME says more"
      )
    }
  }

  // MARK: Listening

  private mutating func certificate() {
    // One that cannot be used is among the refusals.
    guard let certificate = try? inputs().certificate() else { return }
    let left = (certificate.expires - ServerCertificate.machineTime) / 86_400
    let until =
      "\(certificate.files.certificate) is good until \(InstantText.write(certificate.expires).prefix(10))"
    let isSoon = left < Double(DoctorLimits.certificateDays)
    checkup.add("certificate", isSoon ? .warn : .ok, until, isSoon ? "renew it" : nil)
  }

  private mutating func port() async {
    let host = settings?.host ?? "127.0.0.1"
    let port = settings?.port ?? 8_080
    let shown = host.contains(":") ? "[\(host)]" : host
    if let failure = await ListeningTrial.failure(host: host, port: port) {
      let scheme = settings?.tls == nil ? "http" : "https"
      let place = "\(scheme)://\(shown):\(port)"
      if ListenFailure.exit(failure) == .unavailable, await isOurs(place) {
        return checkup.add("port", .ok, "freshet serves on \(shown):\(port)")
      }
      return checkup.add(
        "port",
        .fail,
        "\(shown):\(port): \(ListenFailure.text(failure))",
        "set host and port"
      )
    }
    checkup.add("port", .ok, port == 0 ? "\(shown): a free one" : "\(shown):\(port) is free")
  }

  /// Whether a server that answers is one of this program.
  private func isOurs(_ place: String) async -> Bool {
    guard
      let request = try? WatchAddress.request("\(place)/health/live", fields: [:], option: "port"),
      case .success(let head) = await head(request)
    else { return false }
    return head.headerFields[.server] == "freshet"
  }
}

/// The head of a response.
private actor FoundHead {
  private(set) var head: HTTPResponse?

  func set(_ head: HTTPResponse) { self.head = head }
}
