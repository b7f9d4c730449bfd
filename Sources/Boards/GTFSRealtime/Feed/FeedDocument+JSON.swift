import Foundation
import SwiftProtobuf

extension FeedDocument {
  /// The feed in the protobuf wire format; offsets of errors count in these bytes.
  ///
  /// - Throws: If the JSON is not that of a feed; the error says where.
  package func protobuf() throws(RealtimeError) -> [UInt8] {
    guard form == .json else { return bytes }
    let message: TransitRealtime_FeedMessage
    do {
      message = try TransitRealtime_FeedMessage(jsonUTF8Bytes: withoutMark, options: jsonOptions)
    } catch {
      throw locate(error)
    }
    guard message.hasHeader else {
      throw RealtimeError(.missingHeader, "The feed has no header")
    }
    do {
      return try message.serializedBytes(partial: true)
    } catch {
      throw RealtimeError(.unwritable, "The feed cannot be written as protobuf: \(error)")
    }
  }

  /// The feed as JSON, for people: fields by their names of the reference, in its order.
  ///
  /// Every field of the reference is in it; numbers and fields that the reference does not define are
  /// not.
  ///
  /// - Throws: If the feed is broken anywhere: this form does not pass over broken entities.
  package func json() throws(RealtimeError) -> [UInt8] {
    var options = JSONEncodingOptions()
    options.preserveProtoFieldNames = true
    options.useDeterministicOrdering = true
    var reading = BinaryDecodingOptions()
    reading.messageDepthLimit = limits.messageDepth
    let message: TransitRealtime_FeedMessage
    do {
      message = try TransitRealtime_FeedMessage(
        serializedBytes: try protobuf(),
        partial: true,
        options: reading
      )
    } catch let error as RealtimeError {
      throw error
    } catch {
      throw RealtimeError(.malformed, "The feed is broken: \(error)")
    }
    do {
      return try message.jsonUTF8Bytes(options: options)
    } catch {
      throw RealtimeError(.unwritable, "The feed cannot be written as JSON: \(error)")
    }
  }

  private var withoutMark: [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  private var jsonOptions: JSONDecodingOptions {
    var options = JSONDecodingOptions()
    options.messageDepthLimit = limits.messageDepth
    options.ignoreUnknownFields = true
    return options
  }

  /// Finds where a JSON document is wrong, which SwiftProtobuf does not say: the invalid byte if it
  /// is not JSON, else the first entity that is not one.
  private func locate(_ error: any Error) -> RealtimeError {
    let object: Any
    do {
      object = try JSONSerialization.jsonObject(with: Data(withoutMark))
    } catch let error as CocoaError {
      let detail = error.userInfo["NSDebugDescription"] as? String ?? "no JSON"
      return RealtimeError(.malformedJSON, "The feed is not a JSON document: \(detail)")
    } catch {
      return RealtimeError(.malformedJSON, "The feed is not a JSON document: \(error)")
    }
    guard let feed = object as? [String: Any] else {
      return RealtimeError(.malformedJSON, "The feed is JSON, but no object")
    }
    if let header = feed["header"], !decodes(TransitRealtime_FeedHeader.self, header) {
      return RealtimeError(.malformedJSON, "The feed is JSON, but not of a feed", path: "header")
    }
    if let entities = feed["entity"] {
      guard let entities = entities as? [Any] else {
        return RealtimeError(.malformedJSON, "The feed is JSON, but no array", path: "entity")
      }
      for (index, entity) in entities.enumerated()
      where !decodes(TransitRealtime_FeedEntity.self, entity) {
        return RealtimeError(
          .malformedJSON,
          "The feed is JSON, but not of an entity (\(error))",
          path: "entity[\(index)]"
        )
      }
    }
    return RealtimeError(.malformedJSON, "The feed is JSON, but not of a feed (\(error))")
  }

  private func decodes<M: Message>(_: M.Type, _ object: Any) -> Bool {
    guard JSONSerialization.isValidJSONObject(object),
      let data = try? JSONSerialization.data(withJSONObject: object)
    else { return false }
    return (try? M(jsonUTF8Bytes: Array(data), options: jsonOptions)) != nil
  }
}
