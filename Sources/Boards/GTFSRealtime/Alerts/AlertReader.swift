import SwiftProtobuf

/// Reads the alerts of a feed, one entity after the other, each through SwiftProtobuf.
///
/// The outer structure is walked here, so that a broken alert loses only itself, entities of other
/// kinds cost nothing, and memory holds one decoded message at a time.
struct AlertReader {
  private let limits: RealtimeLimits
  private var counters = EntityCounters()
  private var alerts: [Alert] = []
  private var deleted: [String] = []

  /// The outer fields of an entity.
  private struct Outline {
    var isDeleted = false
    var isAlert = false
  }

  private init(limits: RealtimeLimits) { self.limits = limits }

  /// Reads a feed.
  static func read(
    _ bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits
  ) throws(RealtimeError) -> AlertFeed {
    var envelope = try EnvelopeReader(bytes, limits: limits)
    var reader = AlertReader(limits: limits)
    while let entity = try envelope.next() {
      reader.handle(entity, index: envelope.entities - 1)
    }
    let header = try envelope.header()
    return AlertFeed(
      header: header,
      alerts: reader.alerts,
      deletedEntities: reader.deleted,
      counters: reader.counters
    )
  }

  private mutating func handle(_ entity: WireCursor, index: Int) {
    do throws(WireFault) {
      let outline = try outline(of: entity)
      guard outline.isAlert || outline.isDeleted else {
        counters.other += 1
        return
      }
      let message = try decode(entity)
      if outline.isDeleted {
        deleted.append(message.id)
        counters.deleted += 1
      } else {
        let conversion = AlertConversion(limits: limits, offset: entity.position)
        var selectors: [WireFault] = []
        alerts.append(try conversion.alert(message) { selectors.append($0) })
        counters.used += 1
        for fault in selectors {
          counters.rejectSelector(Self.record(fault, index), keeping: limits.keptRejections)
        }
      }
    } catch {
      counters.reject(Self.record(error, index), keeping: limits.keptRejections)
    }
  }

  /// The record of what is wrong with an entity or a part of it.
  private static func record(_ fault: WireFault, _ index: Int) -> RejectedEntity {
    let fault = fault.inside(.feed, 2, index: index)
    return RejectedEntity(
      cause: fault.cause,
      reason: fault.reason,
      index: index,
      offset: fault.offset,
      path: fault.path
    )
  }

  /// Checks the outer fields of an entity; every length in it is sound afterwards.
  private func outline(of content: WireCursor) throws(WireFault) -> Outline {
    var cursor = content
    var outline = Outline()
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: _ = try cursor.message()
        case 16: outline.isDeleted = try cursor.varint() != 0
        case 42:
          outline.isAlert = true
          _ = try cursor.message()
        case 26, 34: _ = try cursor.message()
        default: try cursor.skip(tag, known: 5)
        }
      }
    } catch {
      throw error.inside(.entity, field)
    }
    return outline
  }

  private func decode(_ entity: WireCursor) throws(WireFault) -> TransitRealtime_FeedEntity {
    let bytes = entity.rest
    guard bytes.count <= limits.alertBytes else {
      throw WireFault(
        .limitExceeded,
        "an alert of \(bytes.count) bytes; the most is \(limits.alertBytes)",
        at: entity.position
      )
    }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = limits.messageDepth
    do {
      return try TransitRealtime_FeedEntity(serializedBytes: Array(bytes), options: options)
    } catch BinaryDecodingError.invalidUTF8 {
      throw .notUTF8(at: entity.position)
    } catch BinaryDecodingError.missingRequiredFields {
      throw WireFault(.missingField, "a required field is missing", at: entity.position)
    } catch BinaryDecodingError.messageDepthLimit {
      throw WireFault(
        .limitExceeded,
        "messages nest deeper than \(limits.messageDepth)",
        at: entity.position
      )
    } catch {
      throw WireFault(.malformed, "the alert is broken inside", at: entity.position)
    }
  }
}
