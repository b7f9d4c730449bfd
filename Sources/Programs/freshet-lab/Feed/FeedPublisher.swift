import FeedSimulation
import GTFSRealtime
import NIOCore

/// Renders publications: each once, however many clients request it at the same time.
actor FeedPublisher {
  /// The formats of a publication.
  enum Form: Hashable, Sendable {
    /// The protobuf wire format.
    case protobuf
    /// The JSON mapping of protobuf.
    case json
  }

  /// A rendered publication.
  struct Sheet: Sendable {
    /// The body.
    let content: ByteBuffer
    /// The digest of the body.
    let digest: FeedDigest
  }

  private struct Key: Hashable {
    var world: ObjectIdentifier
    var stream: FeedStream
    var number: Int64
    var fault: FeedFault?
    var ahead: Int64
    var form: Form
    var share: FeedShare?
  }

  /// The number of publications that are cached.
  private static let kept = 8 + FeedShare.most

  private var sheets: [Key: Task<Sheet, any Error>] = [:]
  private var order: [Key] = []

  /// Returns the body of a response, or a part of it.
  ///
  /// - Throws: If the feed cannot be written as JSON.
  func sheet(
    _ answer: FeedAnswer,
    of world: FeedWorld,
    as form: Form,
    share: FeedShare? = nil
  ) async throws -> Sheet {
    // Lateness and slowness do not change the body.
    let fault: FeedFault? =
      switch answer.fault {
      case .emptyBody, .noEntities, .truncated: answer.fault
      default: nil
      }
    let key = Key(
      world: ObjectIdentifier(world),
      stream: answer.stream,
      number: answer.tick.number,
      fault: fault,
      ahead: answer.ahead,
      form: form,
      share: share
    )
    if let sheet = sheets[key] { return try await sheet.value }
    let task = Task { try await Self.print(answer, of: world, as: form, share) }
    sheets[key] = task
    order.append(key)
    if order.count > Self.kept { sheets[order.removeFirst()] = nil }
    return try await task.value
  }

  @concurrent
  private static func print(
    _ answer: FeedAnswer,
    of world: FeedWorld,
    as form: Form,
    _ share: FeedShare?
  ) async throws -> Sheet {
    var bytes: [UInt8]
    switch (form, answer.fault) {
    case (.protobuf, _), (.json, .emptyBody):
      bytes = world.body(of: answer)
      if let share { bytes = share.bytes(of: bytes) }
    case (.json, .noEntities): bytes = try FeedDocument(world.body(of: answer)).json()
    case (.json, let fault):
      let whole = world.content(of: answer.tick, in: answer.stream)
      bytes = FeedWorld.cut(try FeedDocument(whole).json(), by: fault)
    }
    return Sheet(
      content: ByteBuffer(bytes: bytes),
      digest: FeedDigest(bytes)
    )
  }
}
