import Testing
import WorkspacesServer

@Suite struct MachineTokensTests {
  private func fault(_ text: String) -> String? {
    do throws(MachineTokens.Fault) {
      _ = try MachineTokens(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `A token opens the machine whose line has its hash`() throws {
    let text = """
      # machines
      \(MachineTokens.line("laptop", token: "one"))

        \(MachineTokens.line("box.example_1", token: "two"))\r
      """
    let tokens = try MachineTokens(text)
    #expect(tokens.names == ["laptop", "box.example_1"])
    #expect(tokens.machine(of: "one") == "laptop")
    #expect(tokens.machine(of: "two") == "box.example_1")
    for wrong in ["", "One", "one ", "three", MachineTokens.line("laptop", token: "one")] {
      #expect(tokens.machine(of: wrong) == nil, "\(wrong)")
    }
    // printf %s one | sha256sum
    #expect(
      MachineTokens.line("laptop", token: "one")
        == "laptop 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    )
  }

  @Test func `A line that is wrong is named`() {
    let hash = String(repeating: "0", count: 64)
    #expect(fault("") == nil)
    #expect(fault("a \(hash)") == nil)
    #expect(fault("\n\na").map { $0.hasPrefix("line 3: expected the SHA-256") } == true)
    #expect(fault("a \(hash) x").map { $0.hasPrefix("line 1: ") } == true)
    #expect(fault("a \(hash.dropLast())g").map { $0.hasPrefix("line 1: ") } == true)
    for name in ["a/b", "..", ".", "ü", String(repeating: "a", count: 65)] {
      #expect(
        fault("\(name) \(hash)").map { $0.contains("the name of a machine") } == true,
        "\(name)"
      )
    }
    #expect(fault("a \(hash)\na 1\(hash.dropFirst())") == "line 2: a is there twice")
    #expect(fault("a \(hash)\nb \(hash)") == "line 2: b has the token of another machine")
    let many = (0..<129).map { MachineTokens.line("m\($0)", token: "\($0)") }
    #expect(fault(many.dropLast().joined(separator: "\n")) == nil)
    #expect(fault(many.joined(separator: "\n"))?.hasPrefix("line 129: ") == true)
    #expect(fault("a \(hash)x")?.contains(hash) == false)
  }
}
