/// What the clients of MesDeparts decode answers with.
enum MesDepartsShapes {
  // MARK: The iOS core (Codable; instants with and without fractions of a second)

  /// A stop that its search found.
  static let iosStop: JSONShape = .object([
    "id": .optional(.string), "name": .optional(.string), "stop_id": .optional(.string),
    "stationId": .optional(.string), "stationName": .optional(.string),
    "group_id": .optional(.string), "raw_stop_id": .optional(.string),
    "stop_name": .optional(.string), "parent_station": .optional(.string),
    "location_type": .optional(.string), "nb_stop_times": .optional(.integer),
    "city": .optional(.string), "canton": .optional(.string), "isParent": .optional(.bool),
    "isPlatform": .optional(.bool), "aliasesMatched": .optional(.list(.string)),
  ])

  /// The answer of its search.
  static let iosSearch: JSONShape = .object(["stops": .list(iosStop)])

  /// A departure.
  static let iosDeparture: JSONShape = .object([
    "key": .optional(.string), "trip_id": .optional(.string), "route_id": .optional(.string),
    "stop_id": .optional(.string), "stop_sequence": .optional(.integer),
    "line": .optional(.string), "category": .optional(.string), "number": .optional(.string),
    "destination": .optional(.string), "scheduledDeparture": .optional(.date(.anySeconds)),
    "realtimeDeparture": .optional(.date(.anySeconds)), "delayMin": .optional(.integer),
    "platform": .optional(.string), "platformChanged": .optional(.bool),
    "previousPlatform": .optional(.string), "cancelled": .bool, "status": .optional(.string),
    "cancelReasonCode": .optional(.string), "replacementType": .optional(.string),
    "flags": .optional(.list(.string)),
  ])

  /// A board.
  static let iosBoard: JSONShape = .object([
    "station": .optional(
      .object(["id": .optional(.string), "name": .optional(.string)])
    ),
    "resolved": .optional(
      .object([
        "canonicalId": .optional(.string), "source": .optional(.string),
        "childrenCount": .optional(.integer),
      ])
    ),
    "departures": .list(iosDeparture),
    "meta": .optional(
      .object([
        "serverTime": .optional(.date(.anySeconds)), "responseMode": .optional(.string),
        "rtStatus": .optional(.string), "rtFetchedAt": .optional(.date(.anySeconds)),
        "rtCacheAgeMs": .optional(.integer), "rtAppliedCount": .optional(.integer),
        "totalBackendMs": .optional(.number),
      ])
    ),
  ])

  // MARK: The JSON schema of its board

  /// An alert; its banners are any objects.
  private static let alert: JSONShape = .object([
    "id": .optional(.string), "severity": .optional(.string), "header": .optional(.string),
    "description": .optional(.string),
  ])

  /// A departure by the schema.
  private static let schemaDeparture: JSONShape = .object([
    "key": .optional(.string), "trip_id": .optional(.string), "route_id": .optional(.string),
    "stop_id": .optional(.string), "stop_sequence": .optional(.integer),
    "category": .optional(.string), "number": .optional(.string), "line": .nullable(.string),
    "destination": .nullable(.string), "scheduledDeparture": .date(.anySeconds),
    "realtimeDeparture": .optional(.date(.anySeconds)), "delayMin": .optional(.integer),
    "platform": .optional(.string), "platformChanged": .optional(.bool),
    "previousPlatform": .optional(.string), "cancelled": .bool, "status": .optional(.string),
    "cancelReasonCode": .optional(.string), "stopEvent": .optional(.string),
    "replacementType": .optional(.string), "flags": .absentOr(.list(.string)),
    "alerts": .absentOr(.list(alert)),
    "debug": .optional(.object([:])),
  ])

  /// What it says of realtime.
  private static let schemaRealtime: JSONShape = .object([
    "available": .bool, "applied": .bool,
    "reason": .oneOf(["fresh", "stale", "missing", "disabled", "guarded"]), "feedKey": .string,
    "fetchedAt": .nullable(.date(.anySeconds)), "cacheFetchedAt": .nullable(.date(.anySeconds)),
    "cacheAgeMs": .nullable(.integer), "ageMs": .nullable(.integer),
    "freshnessThresholdMs": .integer, "ageSeconds": .nullable(.integer),
    "freshnessMaxAgeSeconds": .optional(.integer), "cacheStatus": .optional(.string),
    "status": .nullable(.integer), "lastStatus": .optional(.integer),
    "lastError": .optional(.string), "payloadBytes": .optional(.integer),
    "instance": .object([
      "id": .string, "allocId": .nullable(.string), "host": .string, "pid": .integer,
      "build": .string,
    ]),
  ])

  /// A board by the schema.
  static let schemaBoard: JSONShape = .object([
    "station": .optional(.object([:])), "banners": .absentOr(.list(.object([:]))),
    "resolved": .optional(.object([:])), "rt": schemaRealtime,
    "alerts": .object([
      "available": .bool, "applied": .bool, "reason": .string,
      "fetchedAt": .nullable(.date(.anySeconds)), "ageSeconds": .nullable(.integer),
      "includeRequested": .optional(.bool), "includeApplied": .optional(.bool),
    ]),
    "departures": .list(schemaDeparture), "debug": .optional(.object([:])),
  ])

  /// A departure as the server's own probes read it: they count where rows come from.
  static let probedDeparture: JSONShape = .object([
    "debug": .object(["source": .string, "flags": .list(.string)])
  ])

  // MARK: The web page (a script: what it cannot do without)

  /// The answer of a search, and of a search by place.
  static let webStops: JSONShape = .object([
    "stops": .list(.object(["stop_id": .string, "stop_name": .string]))
  ])

  /// A board.
  static let webBoard: JSONShape = .object([
    "station": .object(["id": .string, "name": .string]),
    "departures": .list(
      .object([
        "scheduledDeparture": .date(.anySeconds),
        "realtimeDeparture": .optional(.date(.anySeconds)),
        "destination": .optional(.string), "category": .optional(.string),
        "number": .optional(.string), "line": .optional(.string), "cancelled": .optional(.bool),
        "delayMin": .optional(.number), "displayedDelayMin": .optional(.number),
        "alerts": .optional(.list(.object([:]))), "trip_id": .optional(.string),
      ])
    ),
    "banners": .optional(.list(.object([:]))),
    "rt": .object(["applied": .bool, "reason": .string]),
    "meta": .object([
      "serverTime": .date(.anySeconds),
      "responseMode": .oneOf([
        "full", "degraded_static", "stale_cache_fallback", "static_timeout_fallback",
      ]),
      "rtStatus": .string, "rtFetchedAt": .optional(.date(.anySeconds)),
      "rtCacheAgeMs": .optional(.number),
    ]),
  ])

  /// A stop of a trip.
  private static let webCall: JSONShape = .all([
    .object(["station": .object(["id": .string, "name": .string])]),
    .first([.object(["departure": .string]), .object(["arrival": .string])]),
  ])

  /// A trip with its stops.
  static let webJourney: JSONShape = .object([
    "passList": .list(webCall), "category": .string, "number": .string, "id": .optional(.string),
  ])

  /// The connections between two stops.
  static let webConnections: JSONShape = .object([
    "connections": .list(
      .object([
        "sections": .list(
          .object([
            "journey": webJourney,
            "departure": .object([
              "departureTimestamp": .number,
              "station": .object(["id": .string, "name": .string]),
            ]),
            "arrival": .object(["station": .object(["name": .string])]),
          ])
        )
      ])
    )
  ])

  /// The answer of a journey.
  static let webJourneyAnswer: JSONShape = .object(["journey": webJourney])
}
