import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import ParityReport

/// The conformance vectors of both builds, run now or read from earlier results.
enum VectorProof {
  /// The results of Scripts/engine-wasm-check, relative to the root of a checkout.
  static let usualFile = ".build/engine-wasm/vectors.json"
  /// The maximum size of a file of results, in bytes.
  private static let mostBytes = 16 << 20

  /// The results of running the vectors in another build.
  private struct Results: Decodable {
    struct Module: Decodable {
      var bytes: Int
      var digest: String
    }
    /// The hash of all vector files.
    var suite: String
    /// The runtime.
    var runtime: String
    var module: Module
    /// The differences, by the id of the vector.
    var vectors: [String: [String]]
  }

  /// Assembles the mechanism table.
  ///
  /// - Parameters:
  ///   - file: The results of the WebAssembly build.
  ///   - checkout: A checkout whose module is run now.
  /// - Returns: The table; a build without results proves nothing in it.
  /// - Throws: `ExitCode` if the vectors of this program cannot be read.
  static func table(file: String?, checkout: String?) throws -> MechanismTable {
    let vectors = try vectors()
    return MechanismTable(
      vectors: vectors.map { MechanismTable.Vector(id: $0.id, covers: $0.covers) },
      proofs: [native(vectors), try checkout.map { try run($0) } ?? webAssembly(file)]
    )
  }

  /// Returns the vectors built into this program.
  ///
  /// - Throws: `ExitCode` if they cannot be read.
  static func vectors() throws -> [ConformanceVector] {
    do {
      return try ConformanceSuite.vectors()
    } catch {
      try ReportFile.fail("the vectors cannot be read: \(error)")
    }
  }

  /// Runs vectors in this program.
  static func native(_ vectors: [ConformanceVector]) -> BuildProof {
    var results: [String: [String]] = [:]
    for vector in vectors {
      let mismatches = ConformanceRun.check(vector) { policy, context in
        RefreshMachine(policy: policy, context: context)
      }
      results[vector.id] = mismatches.map { "\($0)" }
    }
    return BuildProof(
      build: "native",
      source: "\(vectors.count) vectors, run by this program now",
      mismatches: results
    )
  }

  /// Reads the results of another build, named after its runtime.
  ///
  /// - Returns: The results, or the reason for their absence.
  static func results(_ path: String) -> BuildProof {
    var proof = webAssembly(path)
    if proof.mismatches != nil, let data = FileManager.default.contents(atPath: path),
      let results = try? JSONDecoder().decode(Results.self, from: data)
    {
      proof.build = results.runtime
    } else {
      proof.build = (path as NSString).lastPathComponent
    }
    return proof
  }

  /// The hash of all vector files built into this program.
  private static var suite: String {
    var bytes: [UInt8] = []
    for file in ConformanceSuite.files.sorted(by: { $0.name < $1.name }) {
      bytes += Array(file.name.utf8) + [0] + file.bytes
    }
    let digits = String(SampleEvidence.digest(of: bytes), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func missing(_ reason: String) -> BuildProof {
    BuildProof(build: "WebAssembly", source: reason, mismatches: nil)
  }

  private static func webAssembly(_ file: String?) -> BuildProof {
    let path = file ?? usualFile
    guard FileManager.default.fileExists(atPath: path) else {
      return missing(
        "there are no results: \(path) is missing; Scripts/engine-wasm-check writes it"
      )
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: mostBytes + 1), data.count <= mostBytes
    else { return missing("\(path) cannot be read, or is too large") }
    return proof(data, from: path)
  }

  private static func proof(_ data: Data, from path: String) -> BuildProof {
    let results: Results
    do {
      results = try JSONDecoder().decode(Results.self, from: data)
    } catch {
      return missing("\(path) is not what Scripts/engine-wasm-check writes")
    }
    // Results of other vectors say nothing about these.
    guard results.suite == suite else {
      return missing(
        "\(path) is about other vectors (\(results.suite)) than this program's (\(suite));"
          + " run Scripts/engine-wasm-check again"
      )
    }
    return BuildProof(
      build: "WebAssembly",
      source: "\(results.vectors.count) vectors, module of \(results.module.bytes) bytes"
        + " (\(results.module.digest)), \(results.runtime), from \(path)",
      mismatches: results.vectors
    )
  }

  /// Runs the vectors of a checkout with node.
  private static func run(_ checkout: String) throws -> BuildProof {
    let root = URL(fileURLWithPath: checkout)
    let module = root.appendingPathComponent(".build/engine-wasm/freshness.wasm")
    let script = root.appendingPathComponent("Tests/EngineWasm/run-vectors.mjs")
    for file in [module, script] where !FileManager.default.fileExists(atPath: file.path) {
      return missing("\(file.path) is missing; run Scripts/engine-wasm in the checkout")
    }
    let results = FileManager.default.temporaryDirectory
      .appendingPathComponent("freshet-vectors-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: results) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["node", script.path, module.path, "--results", results.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return missing("node cannot be started: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    guard let data = try? Data(contentsOf: results) else {
      return missing("node ended with \(process.terminationStatus) and no results")
    }
    return proof(data, from: "node, run now")
  }
}
