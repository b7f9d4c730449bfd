import ConditionalHTTP
import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import Serving
import StrictJSON
import TolerantDecoding

/// `POST /v1/jobs/{pipeline}`: starts a job.
struct StartEndpoint: Sendable {
  private typealias Input = (name: String, mediaType: String, content: [UInt8])

  /// How much of a form is heads and boundaries, in bytes.
  private static let formBytes = 64 << 10
  /// How much beyond a limit is read before the answer, in bytes.
  private static let drainedBytes = 64 << 20
  /// The parameters that are no options of a pipeline.
  private static let ownParameters: Set<String> = ["token", "version", "jobId"]

  let store: JobStore
  let runner: JobRunner
  let pipelines: Set<PipelineName>
  let permits: UploadPermits
  let starts: StartPermits
  let tally: JobMetrics

  /// Takes the input, stores the job, and answers 202 before any work is done.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - word: The pipeline.
  ///   - client: Who asks.
  /// - Returns: The answer, 202.
  /// - Throws: ``Problem`` 400, 404, 408, 409, 413, 415, 429, 503.
  func answer(
    _ request: Request,
    pipeline word: String,
    client: ClientNetwork?
  ) async throws -> Response {
    do {
      let (response, isNew) = try await start(request, pipeline: word, client: client)
      tally.started(isNew ? .started : .repeated)
      return response
    } catch let problem as Problem {
      switch problem.status {
      case .serviceUnavailable: tally.started(.busy)
      case .tooManyRequests: tally.started(.limited)
      case .requestTimeout: tally.started(.tooSlow)
      default: tally.started(.refused)
      }
      throw problem
    }
  }

  private func start(
    _ request: Request,
    pipeline word: String,
    client: ClientNetwork?
  ) async throws -> (Response, isNew: Bool) {
    let pipeline = JobWord.pipeline(word)
    guard pipelines.contains(pipeline) else {
      let names = pipelines.map(\.rawValue).sorted().joined(separator: ", ")
      throw JobProblem(
        .notFound,
        .unknownPipeline,
        "there is no pipeline \"\(word.prefix(60))\"; there are: \(names)"
      ).problem
    }
    let name = request.headers[.idempotencyKey]
    if let name, name.isEmpty || name.utf8.count > store.limits.idempotencyBytes {
      throw JobProblem(
        .badRequest,
        .invalidRequest,
        "Idempotency-Key has 1 to \(store.limits.idempotencyBytes) bytes"
      ).problem
    }
    let key = name.map { Self.key($0, of: request, from: client) }
    if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
      throw JobProblem(
        .unsupportedMediaType,
        .unsupportedMediaType,
        "the content is \(coding.prefix(40)); send it without Content-Encoding"
      ).problem
    }
    // The repetition of a start starts nothing.
    var isCounted = false
    if try await !store.knows(key: key) {
      try starts.take(client)
      isCounted = true
    }
    defer { if isCounted { starts.giveBack(client) } }
    guard let permit = permits.take() else {
      throw JobProblem(
        .serviceUnavailable,
        .busy,
        "\(store.limits.uploads) other requests are read",
        retryAfter: 2
      ).problem
    }
    defer { withExtendedLifetime(permit) {} }
    guard try await store.hasRoom(key: key) else { throw busy }
    var options = QueryText(request.uri.query).others(besides: Self.ownParameters)
    let inputs = try await inputs(request, pipeline, &options, permit)
    switch try await store.start(pipeline, inputs: inputs, options: options, key: key) {
    case .job(let job, let token, let isNew):
      if isNew {
        isCounted = false
        await runner.add(job.id)
      }
      return (started(job, token), isNew)
    case .mismatch:
      throw JobProblem(
        .conflict,
        .idempotencyMismatch,
        "this Idempotency-Key was used for another request"
      ).problem
    case .busy:
      throw busy
    }
  }

  /// A key as its owner's: nobody gets the job of another client, whose key and content are known.
  ///
  /// The owner is the bearer token that came with the request, or else the network of the client.
  private static func key(
    _ name: String,
    of request: Request,
    from client: ClientNetwork?
  ) -> String {
    let token = request.headers[.authorization].flatMap { BearerToken.token(of: $0) }
    let owner = token.map { "token \($0)" } ?? client.map { "client \($0)" } ?? "local"
    // No field has a NUL in it.
    return "\(owner)\0\(name)"
  }

  private var busy: Problem {
    JobProblem(
      .serviceUnavailable,
      .busy,
      "\(store.limits.openJobs) jobs wait or run",
      retryAfter: 5
    ).problem
  }

  private func started(_ job: JobRow, _ token: String) -> Response {
    let path = "/v1/jobs/\(job.id)"
    let now = store.now
    let expiry = max(now + Int64(store.limits.tokenSeconds) * 1_000, job.expiresAt ?? 0)
    let body = JSONValue.object([
      "jobId": .string(job.id), "token": .string(token), "pipeline": .string(job.pipeline.rawValue),
      "state": .string(job.state.rawValue), "tokenExpiresAt": .string(JobInstant.text(expiry)),
      "expiresIn": .whole((expiry - now) / 1_000),
      "pollAfterMs": .whole(Int64(store.limits.pollSeconds) * 1_000),
      "links": .object([
        "status": .string(path), "events": .string(path + "/events"),
        "results": .string(path + "/results"), "failedRows": .string(path + "/failed.csv"),
        "cancel": .string(path + "/cancel"),
        "webSocket": .string("/ws/progress?jobId=\(job.id)"),
      ]),
    ])
    var response = JobAnswer.json(body, status: .accepted)
    response.headers[.location] = path
    return response
  }

  // MARK: Input

  private func inputs(
    _ request: Request,
    _ pipeline: PipelineName,
    _ options: inout [String: String],
    _ permit: UploadPermit
  ) async throws -> [Input] {
    switch pipeline {
    case .batchEnrichment:
      let bytes = try await body(request, store.limits.booksBytes, permit)
      return [("books.json", "application/json", try BookRequest(bytes, store.limits).bytes)]
    case .aiScan:
      return try await photos(request, &options, permit)
    default:
      let limit = store.limits.csvBytes
      let files = try await files(request, each: limit, most: 1, &options, permit)
      guard let file = files.first, !file.content.isEmpty else {
        throw JobProblem(.badRequest, .invalidRequest, "the table is empty").problem
      }
      return [file]
    }
  }

  private func photos(
    _ request: Request,
    _ options: inout [String: String],
    _ permit: UploadPermit
  ) async throws -> [Input] {
    let limits = store.limits
    let photos = try await files(
      request,
      each: limits.photoBytes,
      most: limits.photos,
      &options,
      permit
    )
    guard !photos.isEmpty else {
      throw JobProblem(.badRequest, .emptyBatch, "there is no photo in the request").problem
    }
    for (index, photo) in photos.enumerated() {
      let isImage =
        photo.mediaType.hasPrefix("image/") || photo.mediaType.isEmpty
        || photo.mediaType == "application/octet-stream"
      guard isImage, !photo.content.isEmpty else {
        throw JobProblem(
          isImage ? .badRequest : .unsupportedMediaType,
          isImage ? .invalidRequest : .unsupportedMediaType,
          isImage ? "photo \(index) is empty" : "photo \(index) is \(photo.mediaType), not an image"
        ).problem
      }
    }
    return photos
  }

  /// The files of a form, or the body itself as one.
  private func files(
    _ request: Request,
    each limit: Int,
    most: Int,
    _ options: inout [String: String],
    _ permit: UploadPermit
  ) async throws -> [Input] {
    let type = request.headers[.contentType] ?? ""
    let plain = MultipartForm.plain(type)
    guard plain == "multipart/form-data" else {
      let bytes = try await body(request, limit, permit)
      return [(options["filename"] ?? "upload", plain, bytes)]
    }
    let bytes = try await body(request, limit * most + Self.formBytes, permit)
    let form: MultipartForm
    do throws(MultipartForm.Fault) {
      form = try MultipartForm(bytes, contentType: type)
    } catch {
      throw JobProblem(.badRequest, .invalidRequest, "the form: \(error.problem)").problem
    }
    var files: [Input] = []
    for part in form.parts {
      guard part.fileName != nil || ["file", "photo", "photos", "image"].contains(part.name) else {
        options[part.name] = String(decoding: part.content.prefix(1_000), as: UTF8.self)
        continue
      }
      guard part.content.count <= limit else { throw tooLarge(part.fileName ?? part.name, limit) }
      guard files.count < most else {
        throw JobProblem(
          .badRequest,
          .batchTooLarge,
          "more files than the \(most) that one job takes"
        ).problem
      }
      files.append((part.fileName ?? part.name, part.mediaType, Array(part.content)))
    }
    guard !files.isEmpty else {
      throw JobProblem(.badRequest, .invalidRequest, "the form has no file; name it file").problem
    }
    return files
  }

  private func body(
    _ request: Request,
    _ limit: Int,
    _ permit: UploadPermit
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    var count = 0
    var pace = UploadPace(store.limits)
    // Whoever says how much comes is told before it comes.
    guard !request.declaresMore(than: limit) else { throw tooLarge("the request", limit).last }
    for try await part in request.body {
      guard pace.take(part.readableBytes) else { throw tooSlow }
      count += part.readableBytes
      // Who did not say so reads no answer, most likely, before everything is sent: so it is read, and forgotten.
      guard count <= limit + Self.drainedBytes else { throw tooLarge("the request", limit).last }
      if count <= limit {
        guard permit.reserve(part.readableBytes) else { throw full.last }
        bytes.append(contentsOf: part.readableBytesView)
      } else {
        bytes = []
      }
    }
    guard count <= limit else { throw tooLarge("the request", limit) }
    return bytes
  }

  private var full: Problem {
    JobProblem(
      .serviceUnavailable,
      .busy,
      "other requests that are read have \(store.limits.uploadBytes) bytes together",
      retryAfter: 2
    ).problem
  }

  private var tooSlow: Problem {
    // The last: what is still to come would come as slowly.
    JobProblem(
      .requestTimeout,
      .tooSlow,
      "the request came too slowly: less than \(store.limits.uploadBytesPerSecond) bytes a second"
    ).problem.last
  }

  private func tooLarge(_ name: String, _ limit: Int) -> Problem {
    JobProblem(
      .contentTooLarge,
      .tooLarge,
      "\(name) is longer than \(limit) bytes",
      extensions: ["maxBytes": .integer(limit)]
    ).problem
  }
}

/// The books of an enrichment, checked.
struct BookRequest {
  /// The checked request: `{"books":[{"title","author"?,"isbn"?}]}`.
  let bytes: [UInt8]

  /// Reads a request.
  ///
  /// - Throws: ``Problem`` 400 that names the book and the field.
  init(_ bytes: [UInt8], _ limits: JobLimits) throws {
    let value: JSONValue
    do throws(JSONReader.Fault) {
      var rules = JSONReader.Rules()
      rules.keepsNumbers = true
      rules.skipsByteOrderMark = true
      rules.longest = limits.booksBytes
      value = try JSONReader.value(of: bytes, rules: rules)
    } catch {
      throw Self.invalid("line \(error.line), column \(error.column): \(error.problem)")
    }
    guard let books = value["books"]?.list ?? value.list else {
      throw Self.invalid("\"books\" is a list of {\"title\", \"author\"?, \"isbn\"?}")
    }
    guard !books.isEmpty else {
      throw JobProblem(.badRequest, .emptyBatch, "\"books\" is empty").problem
    }
    guard books.count <= limits.books else {
      throw JobProblem(
        .badRequest,
        .batchTooLarge,
        "\(books.count) books; at most \(limits.books) in one job"
      ).problem
    }
    let fields = [
      ("title", limits.titleCharacters), ("author", limits.authorCharacters),
      ("isbn", limits.isbnCharacters),
    ]
    var checked: [JSONValue] = []
    for (index, book) in books.enumerated() {
      guard case .object = book else { throw Self.invalid("books[\(index)] is no object") }
      var members: [String: JSONValue] = [:]
      for (name, most) in fields {
        switch book[name] {
        case nil, .null?: continue
        case .string(let text)?:
          // An accent that stands alone is a character too: a letter may have any number of them.
          guard text.unicodeScalars.count <= most else {
            throw Self.invalid("books[\(index)].\(name) is longer than \(most) characters")
          }
          if text.contains(where: { !$0.isWhitespace }) { members[name] = .string(text) }
        case .some: throw Self.invalid("books[\(index)].\(name) is no string")
        }
      }
      guard members["title"] != nil || members["isbn"] != nil else {
        throw Self.invalid("books[\(index)] needs a title or an ISBN")
      }
      checked.append(.object(members))
    }
    self.bytes = JSONValue.object(["books": .list(checked)]).bytes
  }

  private static func invalid(_ detail: String) -> Problem {
    JobProblem(.badRequest, .invalidRequest, detail).problem
  }
}
