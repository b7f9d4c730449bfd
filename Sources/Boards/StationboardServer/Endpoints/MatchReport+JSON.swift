extension MatchReport {
  /// Writes the JSON object of `/health`.
  func write(_ json: inout JSONBytes, idPrefix: String, now: Double) {
    json.raw("{\"status\":")
    json.string(status.rawValue)
    json.raw(",")
    BoardCoverage.write(
      received: counters.received,
      matched: counters.matched,
      added: counters.added,
      counters.withoutEffect,
      byRung: counters.byRung,
      &json
    )
    json.raw(",\"matchedPercent\":")
    if let share = counters.matchedShare {
      json.integer(Int(share * 100))
    } else {
      json.raw("null")
    }
    json.raw(",\"hint\":")
    json.string(hint)
    writeLines(&json)
    writeExamples(&json)
    writeProofs(&json, idPrefix)
    writeSources(&json, now)
    json.raw("}")
  }

  private func writeSources(_ json: inout JSONBytes, _ now: Double) {
    json.raw(",\"sources\":[")
    for (place, source) in sources.enumerated() {
      json.raw(place > 0 ? ",{\"kind\":" : "{\"kind\":")
      json.string(source.kind.rawValue)
      json.raw(",\"number\":")
      json.integer(source.number)
      json.raw(",\"status\":")
      json.string(status(of: source)?.rawValue)
      json.raw(",\"ageSeconds\":")
      if let age = source.status.age(at: now) { json.integer(Int(age)) } else { json.raw("null") }
      json.raw(",\"matched\":")
      if let matches = source.matches { json.integer(matches.matching) } else { json.raw("null") }
      json.raw(",\"unmatched\":")
      if let matches = source.matches { json.integer(matches.unmatched) } else { json.raw("null") }
      json.raw(",\"lastError\":")
      json.string(source.status.lastError)
      json.raw("}")
    }
    json.raw("]")
  }

  private func writeLines(_ json: inout JSONBytes) {
    json.raw(",\"lines\":[")
    for (place, line) in lines.prefix(MatchLimits.mostLines).enumerated() {
      json.raw(place > 0 ? ",{\"route_id\":" : "{\"route_id\":")
      json.string(line.id)
      json.raw(",\"line\":")
      json.string(line.name)
      json.raw(",\"matched\":")
      json.integer(line.matched)
      json.raw(",\"unmatched\":")
      json.integer(line.unmatched)
      json.raw("}")
    }
    json.raw("]")
  }

  private func writeExamples(_ json: inout JSONBytes) {
    json.raw(",\"examples\":[")
    for (place, example) in counters.examples.prefix(MatchLimits.mostExamples).enumerated() {
      json.raw(place > 0 ? ",{\"reason\":" : "{\"reason\":")
      json.string(example.reason.rawValue)
      json.raw(",\"trip_id\":")
      json.string(Self.shown(example.trip))
      json.raw(",\"route_id\":")
      json.string(Self.shown(example.route))
      json.raw(",\"startDate\":")
      json.string(example.startDate)
      json.raw("}")
    }
    json.raw("]")
  }

  private func writeProofs(_ json: inout JSONBytes, _ idPrefix: String) {
    json.raw(",\"foundOtherwise\":[")
    for (place, proof) in counters.proofs.prefix(MatchLimits.mostExamples).enumerated() {
      json.raw(place > 0 ? ",{\"by\":" : "{\"by\":")
      json.string(proof.rung.rawValue)
      json.raw(",\"given\":")
      json.string(Self.shown(proof.given))
      json.raw(",\"trip_id\":")
      json.string(idPrefix + proof.found)
      json.raw("}")
    }
    json.raw("]")
  }
}
