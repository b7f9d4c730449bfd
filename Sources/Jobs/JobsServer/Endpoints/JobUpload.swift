import ConditionalHTTP
import HTTPTypes
package import Hummingbird
package import Jobs
import NIOCore
import Serving

/// The content of a request that starts a job, read within the limits of uploads.
package struct JobUpload: Sendable {
  /// A file of a request.
  package struct File: Sendable {
    /// The name the person gave it.
    package var name: String
    /// The media type, without parameters; empty if the request does not say.
    package var mediaType: String
    /// The content.
    package var content: [UInt8]

    /// Creates a file.
    package init(name: String, mediaType: String, content: [UInt8]) {
      self.name = name
      self.mediaType = mediaType
      self.content = content
    }
  }

  /// How much of a form is heads and boundaries, in bytes.
  private static let formBytes = 64 << 10
  /// How much beyond a limit is read before the answer, in bytes.
  private static let drainedBytes = 64 << 20

  /// The request.
  package let request: Request
  let permit: UploadPermit
  /// The limits that are kept.
  package let limits: JobLimits

  init(request: Request, permit: UploadPermit, limits: JobLimits) {
    self.request = request
    self.permit = permit
    self.limits = limits
  }

  /// The one table of a request: the file of a form, or the content itself.
  ///
  /// - Parameter options: Receives the values of a form that are not files.
  /// - Returns: The table.
  /// - Throws: ``Problem`` 400, 408, 413, 503.
  package func table(_ options: inout [String: String]) async throws -> File {
    guard let file = try await files(each: limits.csvBytes, most: 1, &options).first,
      !file.content.isEmpty
    else { throw JobProblem(.badRequest, .invalidRequest, "the table is empty").problem }
    return file
  }

  /// The books of a request for enrichment, checked, as the file of a job.
  ///
  /// - Parameter content: `{"books":[{"title","author"?,"isbn"?}]}`.
  /// - Returns: The file.
  /// - Throws: ``Problem`` 400 that names the book and the field.
  package func books(_ content: [UInt8]) throws -> File { try BookRequest(content, limits).file }

  /// The photos of a request: the files of a form, or the content itself.
  ///
  /// - Parameter options: Receives the values of a form that are not files.
  /// - Returns: The photos.
  /// - Throws: ``Problem`` 400, 408, 413, 415, 503.
  package func photos(_ options: inout [String: String]) async throws -> [File] {
    let photos = try await files(each: limits.photoBytes, most: limits.photos, &options)
    return try checked(photos)
  }

  /// Checks photos that came in another way.
  ///
  /// - Throws: ``Problem`` 400, 413, 415.
  package func checked(_ photos: [File]) throws -> [File] {
    guard !photos.isEmpty else {
      throw JobProblem(.badRequest, .emptyBatch, "there is no photo in the request").problem
    }
    guard photos.count <= limits.photos else { throw tooMany(limits.photos) }
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
      guard photo.content.count <= limits.photoBytes else {
        throw tooLarge(photo.name, limits.photoBytes)
      }
    }
    return photos
  }

  /// The files of a form, or the content itself as one.
  private func files(
    each limit: Int,
    most: Int,
    _ options: inout [String: String]
  ) async throws -> [File] {
    let type = request.headers[.contentType] ?? ""
    let plain = MultipartForm.plain(type)
    guard plain == "multipart/form-data" else {
      let bytes = try await content(upTo: limit)
      return [File(name: options["filename"] ?? "upload", mediaType: plain, content: bytes)]
    }
    let bytes = try await content(upTo: limit * most + Self.formBytes)
    let form: MultipartForm
    do throws(MultipartForm.Fault) {
      form = try MultipartForm(bytes, contentType: type)
    } catch {
      throw JobProblem(.badRequest, .invalidRequest, "the form: \(error.problem)").problem
    }
    var files: [File] = []
    for part in form.parts {
      guard part.fileName != nil || ["file", "photo", "photos", "image"].contains(part.name) else {
        options[part.name] = String(decoding: part.content.prefix(1_000), as: UTF8.self)
        continue
      }
      guard part.content.count <= limit else { throw tooLarge(part.fileName ?? part.name, limit) }
      guard files.count < most else { throw tooMany(most) }
      files.append(
        File(
          name: part.fileName ?? part.name,
          mediaType: part.mediaType,
          content: Array(part.content)
        )
      )
    }
    guard !files.isEmpty else {
      throw JobProblem(.badRequest, .invalidRequest, "the form has no file; name it file").problem
    }
    return files
  }

  /// The content of the request.
  ///
  /// - Parameter limit: The most bytes.
  /// - Returns: The bytes.
  /// - Throws: ``Problem`` 408, 413, 503.
  package func content(upTo limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    var count = 0
    var pace = UploadPace(limits)
    // A client that declares its length gets the response before it sends the content.
    guard !request.declaresMore(than: limit) else { throw tooLarge("the request", limit).last }
    for try await part in request.body {
      guard pace.record(part.readableBytes) else { throw tooSlow }
      count += part.readableBytes
      // A client that does not declare it most likely reads no response before it has sent everything, so the rest is
      // read and discarded.
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
      "other requests that are read have \(limits.uploadBytes) bytes together",
      retryAfter: 2
    ).problem
  }

  private var tooSlow: Problem {
    // The last: the remaining content would arrive as slowly.
    JobProblem(
      .requestTimeout,
      .tooSlow,
      "the request came too slowly: less than \(limits.uploadBytesPerSecond) bytes a second"
    ).problem.last
  }

  private func tooMany(_ most: Int) -> Problem {
    JobProblem(
      .badRequest,
      .batchTooLarge,
      "more files than the \(most) that one job takes"
    ).problem
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

/// The request to start a job.
package struct JobOrder: Sendable {
  /// The name of the option that says in whose API a job was started.
  package static let dialect = "dialect"

  /// The files.
  package var files: [JobUpload.File]
  /// The options of the request.
  package var options: [String: String]
  /// The id that the client chose, a UUID; `nil` to let the server choose.
  package var id: String?
  /// When the job may run, and before which others.
  package var schedule = JobSchedule()

  /// Creates an order.
  package init(files: [JobUpload.File], options: [String: String], id: String? = nil) {
    self.files = files
    self.options = options
    self.id = id
  }
}

/// A job that was started, by this request or by one before it that was the same.
package struct StartedJob: Sendable {
  /// The job.
  package let job: JobRow
  /// A token that opens it.
  package let token: String
  /// When the token expires, in milliseconds since 1970-01-01T00:00:00Z.
  package let tokenExpiresAt: Int64
  /// Whether this request started it.
  package let isNew: Bool
}
