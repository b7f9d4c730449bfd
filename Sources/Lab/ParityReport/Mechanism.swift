/// A row of the mapping table of seed 000: a mechanism that both clients must have.
package struct Mechanism: Hashable, Sendable {
  /// The number of the row, from 1.
  package var row: Int
  /// Its name in the seed.
  package var title: String
  /// The rules and scenarios whose vectors prove it, besides the row's own.
  package var rules: [String]

  /// The coverage of the vectors that prove it, any of these.
  package var covers: Set<String> { Set(rules + ["seed 000 row \(row)"]) }

  /// The eleven rows, in the seed's order.
  package static let all: [Mechanism] = [
    Mechanism(1, "Poll scheduling and jitter", ["R8", "R9", "R10"]),
    Mechanism(2, "Foreground and background gating", ["R11"]),
    Mechanism(3, "In-flight coalescing", ["R1", "R2"]),
    Mechanism(4, "Superseded and stale responses", ["R3"]),
    Mechanism(5, "No stale board after a stop switch", ["R4"]),
    Mechanism(6, "Loading hint: ownership and clearing", ["R25"]),
    Mechanism(7, "Realtime anti-downgrade", ["R20"]),
    Mechanism(8, "Errors and backoff", ["R7", "R21", "R22", "R23"]),
    Mechanism(9, "No answers from caches", ["R18", "R19"]),
    Mechanism(10, "Freshness fields and samples", ["R26", "R27", "R29"]),
    Mechanism(11, "Incremental since_rt and 204", ["R16", "R17"]),
  ]

  private init(_ row: Int, _ title: String, _ rules: [String]) {
    self.row = row
    self.title = title
    self.rules = rules
  }
}

/// The results of the conformance vectors in one build of the engine.
package struct BuildProof: Sendable {
  /// The name of the build, such as `native`.
  package var build: String
  /// The source of the results, for display.
  package var source: String
  /// The differences, by the id of the vector; `nil` without results.
  ///
  /// An empty list means that the vector passed.
  package var mismatches: [String: [String]]?

  /// Creates a proof.
  package init(build: String, source: String, mismatches: [String: [String]]?) {
    self.build = build
    self.source = source
    self.mismatches = mismatches
  }
}

/// The mechanism table: every row with the results of each build's vectors.
package struct MechanismTable: Sendable {
  /// A vector: its id, and what it covers.
  package struct Vector: Hashable, Sendable {
    /// The id.
    package var id: String
    /// The rules and scenarios.
    package var covers: [String]

    /// Creates a vector.
    package init(id: String, covers: [String]) {
      self.id = id
      self.covers = covers
    }
  }

  /// The result of a build for a row.
  package enum Verdict: Hashable, Sendable {
    /// Every vector of the row passed.
    case proved(Int)
    /// These vectors failed.
    case failed([String])
    /// The row has no results, for this reason.
    case notProved(String)
  }

  /// A row.
  package struct Row: Sendable {
    /// The mechanism.
    package var mechanism: Mechanism
    /// The ids of the vectors that prove it.
    package var vectors: [String]
    /// The verdicts, in the order of the builds.
    package var verdicts: [Verdict]

    /// Whether every build proves it.
    package var isProved: Bool {
      !verdicts.isEmpty
        && verdicts.allSatisfy { if case .proved = $0 { true } else { false } }
    }
  }

  /// The builds.
  package let proofs: [BuildProof]
  /// The rows, in the seed's order.
  package let rows: [Row]

  /// Assembles the table.
  ///
  /// - Parameters:
  ///   - vectors: All conformance vectors.
  ///   - proofs: The results of each build.
  package init(vectors: [Vector], proofs: [BuildProof]) {
    self.proofs = proofs
    rows = Mechanism.all.map { mechanism in
      let covers = mechanism.covers
      let own = vectors.filter { !covers.isDisjoint(with: $0.covers) }.map(\.id)
      // Without its own vector, the row as defined by the seed is not tested at all.
      let isTold = vectors.contains { $0.covers.contains("seed 000 row \(mechanism.row)") }
      return Row(
        mechanism: mechanism,
        vectors: own,
        verdicts: proofs.map { proof in
          guard isTold else { return .notProved("no vector tells this row") }
          guard let results = proof.mismatches else { return .notProved(proof.source) }
          let absent = own.filter { results[$0] == nil }
          guard absent.isEmpty else {
            return .notProved("no result for \(absent[0])")
          }
          let failed = own.filter { results[$0]?.isEmpty == false }
          return failed.isEmpty ? .proved(own.count) : .failed(failed)
        }
      )
    }
  }

  /// Whether every row is proved by every build.
  package var isProved: Bool { rows.allSatisfy(\.isProved) }

  var gate: Gate {
    let open = rows.filter { !$0.isProved }
    let findings = open.map { row in
      let reasons = zip(proofs, row.verdicts).compactMap { proof, verdict -> String? in
        switch verdict {
        case .proved: nil
        case .failed(let ids):
          "\(proof.build): \(Figures.count(ids.count, "vector")) failed (\(ids[0]))"
        case .notProved(let reason): "\(proof.build): not proved, \(reason)"
        }
      }
      return Gate.Finding(
        "row \(row.mechanism.row), \(row.mechanism.title): \(reasons.joined(separator: "; "))"
      )
    }
    return Gate(
      "mechanisms",
      "every mechanism of seed 000 is proved by the vectors of both builds",
      measured: "\(rows.count - open.count) of \(rows.count) rows",
      findings
    )
  }
}
