import Foundation
import HTTPTypes
import Hummingbird
import Jobs
import JobsServer
import Serving
import StrictJSON

/// The addresses at which the app starts jobs.
struct BooksTrackStarts: Sendable {
  /// The longest request with photos in base64, in bytes.
  static let photosBytes = 64 << 20
  /// The most JSON values of such a request: a few for each photo.
  static let photosValues = 1_000
  /// The stages of a scan that the app estimates progress by: seconds, and the share that is done after them.
  private static let stages: [(name: String, seconds: Int64, share: Double)] = [
    ("Reading the photos", 3, 0.1), ("Finding books", 25, 0.5), ("Completing them", 12, 1),
  ]

  let view: JobsView

  func add(to router: some RouterMethods<some RequestContext>) {
    // The first generation of the app takes 200 only, later ones this too.
    router.post("api/import/csv-gemini") { request, context in
      try await table(request, context, status: .ok)
    }
    router.post("api/v2/imports") { request, context in
      try await table(request, context, status: .accepted)
    }
    for path: RouterPath in [
      "v1/enrichment/batch", "api/enrichment/batch", "api/enrichment/start", "api/batch-enrich",
    ] {
      router.post(path) { request, context in try await books(request, context) }
    }
    router.post("api/scan-bookshelf") { request, context in try await photo(request, context) }
    router.post("api/scan-bookshelf/batch") { request, context in
      try await photos(request, context)
    }
  }

  // MARK: Tables

  private func table(
    _ request: Request,
    _ context: some RequestContext,
    status: HTTPResponse.Status
  ) async throws -> Response {
    let started = try await view.start(
      .csvImport,
      request,
      client: ClientNetwork(of: context)
    ) { upload in
      var values: [String: String] = [:]
      let file = try await upload.table(&values)
      return JobOrder(files: [file], options: [:])
    }
    var members = Self.members(started)
    members["statusUrl"] = .string("/api/v2/imports/\(started.job.id)")
    return BooksTrackEnvelope.answer(members, status: status, isFlatToo: true, at: view.now)
  }

  // MARK: Books

  private func books(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let started = try await view.start(
      .batchEnrichment,
      request,
      client: ClientNetwork(of: context)
    ) { upload in
      let value = try Self.object(try await upload.content(upTo: upload.limits.booksBytes))
      let file = try upload.books(JSONValue.object(["books": try Self.list(value)]).bytes)
      return JobOrder(files: [file], options: [:], id: try Self.id(value["jobId"]))
    }
    // How many there are the job says only once it is worked on.
    var members = Self.members(started)
    members["processedCount"] = .whole(0)
    members["totalCount"] = .whole(Int64(try await count(started.job)))
    return BooksTrackEnvelope.answer(members, status: .accepted, isFlatToo: true, at: view.now)
  }

  /// How many books a job was given.
  private func count(_ job: JobRow) async throws -> Int {
    let bytes = try await view.content(of: job) ?? []
    return (try? JSONReader.value(of: bytes, rules: Self.rules))?["books"]?.list?.count ?? 0
  }

  /// The books of a request: as books, as scanned numbers, or as works with only a title.
  private static func list(_ value: JSONValue) throws -> JSONValue {
    if let codes = value["barcodes"]?.list {
      return .list(codes.map { .object(["isbn": $0]) })
    }
    if let works = value["workIds"]?.list {
      return .list(
        works.map { work in
          .object(["title": work.int64.map { .string(String($0)) } ?? work])
        }
      )
    }
    guard let books = value["books"]?.list else {
      throw invalid("books is a list of {\"title\", \"author\"?, \"isbn\"?}")
    }
    return .list(books)
  }

  // MARK: Photos

  private func photo(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let query = QueryItems(request)
    let started = try await view.start(
      .aiScan,
      request,
      client: ClientNetwork(of: context)
    ) { upload in
      var values: [String: String] = [:]
      let photos = try await upload.photos(&values)
      return JobOrder(files: photos, options: [:], id: query["jobId"])
    }
    var members = Self.members(started)
    members["status"] = .string("started")
    members["websocketReady"] = .bool(false)
    members["message"] = .string("progress is told at /ws/progress?jobId=\(started.job.id)")
    members["stages"] = .list(
      Self.stages.map { stage in
        .object([
          "name": .string(stage.name), "typicalDuration": .whole(stage.seconds),
          "progress": JSONValue(stage.share),
        ])
      }
    )
    let seconds = Double(Self.stages.reduce(0) { $0 + $1.seconds })
    members["estimatedRange"] = .list([
      .whole(Int64((seconds * 0.8).rounded(.down))), .whole(Int64((seconds * 1.2).rounded(.up))),
    ])
    return BooksTrackEnvelope.answer(members, status: .accepted, isFlatToo: true, at: view.now)
  }

  private func photos(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let started = try await view.start(
      .aiScan,
      request,
      client: ClientNetwork(of: context)
    ) { upload in
      let type = request.headers[.contentType]?.lowercased() ?? ""
      if type.hasPrefix("multipart/") {
        var values: [String: String] = [:]
        let photos = try await upload.photos(&values)
        return JobOrder(files: photos, options: [:], id: values["jobId"])
      }
      let content = try await upload.content(upTo: Self.photosBytes)
      let value = try Self.object(content, longest: Self.photosBytes, most: Self.photosValues)
      guard let images = value["images"]?.list else {
        throw Self.invalid("images is a list of {\"index\", \"data\"}")
      }
      let photos = try images.enumerated()
        .map { place, image in
          (image["index"]?.int64 ?? Int64(place), try Self.image(image, at: place))
        }
        .sorted { $0.0 < $1.0 }.map(\.1)
      return JobOrder(
        files: try upload.checked(photos),
        options: [:],
        id: try Self.id(value["jobId"])
      )
    }
    var members = Self.members(started)
    members["totalPhotos"] = .whole(Int64(try await view.fileCount(started.job)))
    members["status"] = .string("processing")
    return BooksTrackEnvelope.answer(members, status: .accepted, isFlatToo: true, at: view.now)
  }

  private static func image(_ image: JSONValue, at place: Int) throws -> JobUpload.File {
    guard var text = image["data"]?.string else { throw invalid("images[\(place)].data is base64") }
    if text.hasPrefix("data:"), let comma = text.firstIndex(of: ",") {
      text = String(text[text.index(after: comma)...])
    }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw invalid("images[\(place)].data is not base64")
    }
    return JobUpload.File(name: "photo-\(place + 1)", mediaType: "", content: Array(data))
  }

  // MARK: Common

  private static let rules: JSONReader.Rules = {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    rules.skipsByteOrderMark = true
    return rules
  }()

  private static func object(
    _ bytes: [UInt8],
    longest: Int? = nil,
    most: Int = .max
  ) throws -> JSONValue {
    var rules = rules
    if let longest { rules.longest = longest }
    rules.most = most
    do throws(JSONReader.Fault) {
      return try JSONReader.value(of: bytes, rules: rules)
    } catch {
      throw invalid("line \(error.line), column \(error.column): \(error.problem)")
    }
  }

  private static func id(_ value: JSONValue?) throws -> String? {
    switch value {
    case nil, .null?: nil
    case .string(let text)?: text.isEmpty ? nil : text
    case .some: throw invalid("jobId is not a string")
    }
  }

  private static func invalid(_ detail: String) -> Problem {
    Problem(.badRequest, JobProblemCode.invalidRequest.rawValue, detail: detail)
  }

  /// What every start says: the job, and its token under both names.
  private static func members(_ started: StartedJob) -> [String: JSONValue] {
    [
      "success": .bool(true), "jobId": .string(started.job.id), "token": .string(started.token),
      "authToken": .string(started.token),
    ]
  }
}
