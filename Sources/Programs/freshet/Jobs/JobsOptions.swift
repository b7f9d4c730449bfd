import ArgumentParser
import BookLibrary
import BookPipelines
import BookScan
import Books
import Commands
import ConditionalHTTP
import Foundation
import Jobs
import JobsServer
import Logging
import PostgresClient
import ServeSettings
import Serving

/// The options of `freshet serve` for jobs.
struct JobsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve jobs, and keep them, the library and the catalogue in this folder.",
      valueName: "folder"
    )
  )
  var jobs: String?

  @Option(
    help: ArgumentHelp(
      "Whose library and catalogue in the database; servers of other owners share neither them nor jobs. Default: \(LibraryOwner.usual).",
      valueName: "name"
    )
  )
  var libraryOwner: String?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Take job tokens from queries too, where they end up in logs. Default: no, and yes for the jobs of an app whose API \
      is spoken.
      """
  )
  var jobsQueryTokens: Bool?

  @Flag(
    inversion: .prefixedNo,
    help:
      "With --speak bookstrack: open the app's jobs by their ids alone, as parts of it send no token. Default: yes."
  )
  var jobsBareIds: Bool?

  @Option(help: "How many jobs run at once. Default: 4.")
  var jobsRunning: Int?

  @Option(help: "How long results are kept, in seconds. Default: 86400.")
  var jobsKept: Int?

  @Option(help: "How long a job token is good, in seconds. Default: 7200.")
  var jobsTokenSeconds: Int?

  @Option(
    help: ArgumentHelp(
      "Ask this Open Library server too, https://openlibrary.org. Default: the catalogue only.",
      valueName: "url"
    )
  )
  var openLibrary: String?

  @Option(
    help: ArgumentHelp(
      "Let this service read photos, with the token in $FRESHET_VISION_TOKEN. Default: zbar and tesseract.",
      valueName: "url"
    )
  )
  var vision: String?

  /// The default limits; a file may change them.
  private var limits = JobLimits()
  /// Whose library and catalogue; a file may name the owner.
  private var owner = LibraryOwner.usual

  private enum CodingKeys: CodingKey {
    case jobs, libraryOwner, jobsQueryTokens, jobsBareIds, jobsRunning, jobsKept, jobsTokenSeconds,
      openLibrary,
      vision
  }

  func validate() throws {
    _ = try SharedBooksOption.owner(libraryOwner, "--library-owner")
    for (name, text) in [("--open-library", openLibrary), ("--vision", vision)] {
      guard let text else { continue }
      do throws(HTTPAddress.Invalid) {
        _ = try HTTPAddress(text)
      } catch {
        throw ValidationError("\(name) \(error)")
      }
    }
    for (name, number) in [
      ("--jobs-running", jobsRunning), ("--jobs-kept", jobsKept),
      ("--jobs-token-seconds", jobsTokenSeconds),
    ] {
      if let number, !(1...31_536_000).contains(number) {
        throw ValidationError("\(name) is 1 to 31536000")
      }
    }
  }

  /// Returns these options, completed by those of a file.
  ///
  /// - Throws: ``CommandFailure`` for an unknown limit of the file, or for an invalid name of an owner in it.
  func completed(by file: ServeSettings?) throws -> JobsOptions {
    let settings = file?.jobs
    var options = self
    options.jobs = jobs ?? settings?.folder
    options.libraryOwner = libraryOwner ?? settings?.libraryOwner
    do throws(LibraryOwner.Invalid) {
      options.owner =
        try options.libraryOwner.map { name throws(LibraryOwner.Invalid) in
          try LibraryOwner(name)
        } ?? .usual
    } catch {
      // That of the option is checked with it.
      guard let file, libraryOwner == nil else { throw error }
      throw file.failure("jobs.libraryOwner", "\(error)")
    }
    options.jobsQueryTokens = jobsQueryTokens ?? settings?.queryTokens
    options.jobsBareIds = jobsBareIds ?? settings?.bareIDs
    options.jobsRunning = jobsRunning ?? settings?.running
    options.jobsKept = jobsKept ?? settings?.keptSeconds
    options.jobsTokenSeconds = jobsTokenSeconds ?? settings?.tokenSeconds
    options.openLibrary = openLibrary ?? settings?.openLibrary
    options.vision = vision ?? settings?.vision
    guard let file, let settings else { return options }
    for (name, value) in settings.limits.sorted(by: { $0.key < $1.key })
    where !options.limits.set(name, to: value) {
      let names = JobLimits.names.joined(separator: ", ")
      throw file.failure("jobs.limits.\(name)", "expected one of \(names)")
    }
    return options
  }

  /// Returns the service, if a folder is given.
  ///
  /// - Parameters:
  ///   - database: The database that keeps the jobs; `nil` for the folder.
  ///   - answers: Whether the database answers.
  ///   - rules: The browser requests that are accepted.
  ///   - operators: Decides which requests may see dead letters and start them again.
  ///   - clock: The clock.
  ///   - exchange: Sends requests to other servers.
  ///   - logger: Logs failures.
  /// - Returns: The service, or `nil` without a folder.
  /// - Throws: An error of the folder or its databases.
  func service(
    in database: PostgresAddress?,
    answers: Bool,
    rules: OriginGuard,
    operators: OperatorAccess,
    clock: ServiceClock,
    exchange: any HTTPExchange & HTTPSending,
    logger: Logger
  ) async throws -> JobsService? {
    guard let folder = jobs else { return nil }
    var limits = limits
    limits.runningJobs = jobsRunning ?? limits.runningJobs
    limits.resultSeconds = jobsKept ?? limits.resultSeconds
    limits.tokenSeconds = jobsTokenSeconds ?? limits.tokenSeconds
    let store: any JobStore
    let library: any LibraryStore
    if let database {
      let shared = try await self.store(in: database, answers, folder, limits, clock, logger)
      (store, library) = (shared, shared.library)
    } else {
      store = try SQLiteJobStore(folder: folder, limits: limits, clock: clock)
      library = try SQLiteLibrary(path: folder + "/library.sqlite")
    }
    let catalogue = try await catalogue(in: database, answers, folder, logger)
    return JobsService(
      store: store,
      pipelines: try pipelines(folder, library, catalogue, limits, exchange, logger),
      rules: rules,
      acceptsQueryToken: jobsQueryTokens ?? false,
      operators: operators,
      clock: clock,
      logger: logger
    )
  }

  private func store(
    in database: PostgresAddress,
    _ answers: Bool,
    _ folder: String,
    _ limits: JobLimits,
    _ clock: ServiceClock,
    _ logger: Logger
  ) async throws -> PostgresJobStore {
    let store = try PostgresJobStore(
      database,
      folder: folder,
      libraryOwner: owner,
      limits: limits,
      clock: clock
    )
    logger.notice(
      "jobs are kept in a database",
      metadata: ["database": "\(database)", "libraryOwner": "\(owner)"]
    )
    // Without it the service does so when the database is back.
    if answers { try? await store.compareClocks() }
    return store
  }

  /// Returns the catalogue of the database, or of the folder without one, and says what is missing in it.
  private func catalogue(
    in database: PostgresAddress?,
    _ answers: Bool,
    _ folder: String,
    _ logger: Logger
  ) async throws -> any CatalogueStore {
    guard let database else {
      let catalogue = SQLiteCatalogue(path: folder + "/catalogue.sqlite") { error in
        logger.error("the new catalogue cannot be opened", metadata: ["error": "\(error)"])
      }
      try catalogue.open()
      if !catalogue.isRanked {
        logger.warning(
          "the catalogue is of an earlier version and does not rank what it finds; make it again with freshet catalogue import",
          metadata: ["file": "\(catalogue.place)"]
        )
      }
      warn(isMissing: !catalogue.isOpen, catalogue.place, logger)
      return catalogue
    }
    var limits = PostgresClientLimits()
    limits.connections = CatalogueLimits.connections
    limits.waitSeconds = CatalogueLimits.waitSeconds
    let pool = PostgresSchema.jobs().pool(database, limits: limits, purpose: "catalogue")
    let catalogue = PostgresCatalogue(pool, owner: owner)
    guard answers else { return catalogue }
    // The server does not wait for it.
    Task {
      let isMissing = try? await catalogue.counts() == nil
      warn(isMissing: isMissing ?? false, catalogue.place, logger)
    }
    return catalogue
  }

  private func warn(isMissing: Bool, _ place: String, _ logger: Logger) {
    guard isMissing, openLibrary == nil else { return }
    logger.warning(
      "no catalogue: enrichment and scans find no books; freshet catalogue import makes one",
      metadata: ["place": "\(place)"]
    )
  }

  private func pipelines(
    _ folder: String,
    _ library: any LibraryStore,
    _ catalogue: any CatalogueStore,
    _ limits: JobLimits,
    _ exchange: any HTTPExchange & HTTPSending,
    _ logger: Logger
  ) throws -> [any JobPipeline] {
    // The limits that the server publishes are those that the pipelines enforce.
    var table = ImportLimits()
    (table.fileBytes, table.rows) = (limits.csvBytes, limits.csvRows)
    var photos = ScanLimits()
    photos.photoBytes = limits.photoBytes
    var providers: [any BookProvider] = [catalogue]
    if let openLibrary {
      let settings = OpenLibraryProvider.Settings(server: try HTTPAddress(openLibrary))
      providers.append(OpenLibraryProvider(exchange: exchange, settings: settings))
    }
    let lookup = BookLookup(providers: providers)
    return [
      CSVImport(library: library, limits: table),
      BatchEnrichment(lookup: lookup, booksBytes: limits.booksBytes),
      AIScan(provider: try shelfReader(exchange, photos, try Self.scratch(folder)), lookup: lookup),
    ]
  }

  /// Returns an empty folder for photos while they are read, removing what a killed server left in
  /// it.
  private static func scratch(_ folder: String) throws -> String {
    let scratch = folder + "/scratch"
    let manager = FileManager.default
    if manager.fileExists(atPath: scratch) { try manager.removeItem(atPath: scratch) }
    try manager.createDirectory(
      atPath: scratch,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return scratch
  }

  private func shelfReader(
    _ exchange: any HTTPSending,
    _ limits: ScanLimits,
    _ scratch: String
  ) throws -> any ShelfReader {
    guard let vision else { return LocalShelfReader(limits: limits, scratch: scratch) }
    var settings = VisionShelfReader.Settings(service: try HTTPAddress(vision))
    settings.token = ProcessInfo.processInfo.environment["FRESHET_VISION_TOKEN"]
    return VisionShelfReader(exchange: exchange, settings: settings, limits: limits)
  }
}
