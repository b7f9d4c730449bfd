import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Workspaces

/// Reads the bodies of requests.
enum RequestBodies {
  /// Reads a body; an empty one is an object without members.
  ///
  /// - Throws: ``Problem`` 400 `invalid_body`, 413 if it is too long.
  static func decode<Value: Decodable>(_ type: Value.Type, _ request: Request) async throws -> Value
  {
    let buffer: ByteBuffer
    let tooLarge = Problem(
      .contentTooLarge,
      WorkspaceProblem.invalidBody.rawValue,
      detail: "the body is longer than \(WorkspaceLimits.bodyBytes) bytes"
    )
    guard !request.declaresMore(than: WorkspaceLimits.bodyBytes) else { throw tooLarge.last }
    do {
      buffer = try await request.body.collect(upTo: WorkspaceLimits.bodyBytes)
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
    let bytes = buffer.readableBytes == 0 ? Data("{}".utf8) : Data(buffer.readableBytesView)
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch let error as DecodingError {
      throw Problem(
        .invalidBody,
        detail: Self.text(error)
      )
    }
  }

  private static func text(_ error: DecodingError) -> String {
    let context: DecodingError.Context
    switch error {
    case .keyNotFound(let key, let found):
      return "\(path(found.codingPath + [key])) is missing"
    case .typeMismatch(_, let found), .valueNotFound(_, let found): context = found
    case .dataCorrupted(let found):
      return found.codingPath.isEmpty
        ? "the body is not JSON" : "\(path(found.codingPath)): \(found.debugDescription)"
    @unknown default: return "the body is not what is expected"
    }
    return "\(path(context.codingPath)) is of another type than expected"
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    "$" + keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
  }
}
