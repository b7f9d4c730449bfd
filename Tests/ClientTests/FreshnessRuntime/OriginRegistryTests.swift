import ConditionalHTTP
import Freshness
import HTTPTypes
import Testing

@testable import FreshnessRuntime

@Suite("The origins that a client remembers: R39")
struct OriginRegistryTests {
  private var registry = OriginRegistry(policy: .workspaces)
  private let most = Origin.mostRemembered

  /// Opens and closes a resource of each of many origins.
  private mutating func visit(_ count: Int) {
    for number in 0..<count {
      registry.opened("https://host-\(number).example")
      registry.closed("https://host-\(number).example")
    }
  }

  @Test
  mutating func `R39: visited origins are bounded, and a Retry-After outlives the others`() throws {
    let name = "https://limited.example"
    var machines = MachineSchedule()
    let machine = RefreshMachine(policy: .workspaces, context: Context(question: 1))
    let key = machines.insert(machine)
    let started = machines.handle(.started, for: key, at: .start, random: .middle)
    let request = try #require(started?.request)
    registry.opened(name)
    let number = registry.ask(name, request, for: key)
    #expect(registry.admit(name, at: .start)?.admission.number == number)
    let busy = Outcome.throttled(.seconds(200))
    registry.ended(number, of: name, busy, resources: 1, at: .start)
    registry.closed(name)
    visit(3 * most)
    #expect(registry.count == most)
    #expect(registry.restraint(of: name).notBefore == Instant.start + .seconds(200))
  }

  @Test
  func `R39: a sent request that timed out while the device did not sleep is a failure`() throws {
    var machines = MachineSchedule()
    let machine = RefreshMachine(policy: .workspaces, context: Context(question: 1))
    let key = machines.insert(machine)
    let started = machines.handle(.started, for: key, at: .start, random: .middle)
    let request = try #require(started?.request)
    var inFlight = ClientRegistry.InFlightRequest(request: request, startedAt: .start, number: 1)
    let end = Instant.start + request.timeout
    #expect(!inFlight.isFailureOfServer(at: end))
    #expect(inFlight.isOverdueInQueue(at: end))
    inFlight.prolongedAt = .start + .milliseconds(1)
    #expect(!inFlight.isOverdueInQueue(at: end))
    inFlight.sentAt = .start
    let latest = HostSleep.latestAlarm.milliseconds
    for (late, isFailure) in [(0, true), (latest - 1, true), (latest, false)] {
      #expect(inFlight.isFailureOfServer(at: end + .milliseconds(late)) == isFailure)
    }
  }

  @Test
  mutating func `R39: an origin with resources is never forgotten`() {
    for number in 0..<most { registry.opened("https://used-\(number).example") }
    visit(10)
    #expect(registry.count == most + 1)
    for number in 0..<most { registry.closed("https://used-\(number).example") }
    visit(10)
    #expect(registry.count == most)
  }

  @Test
  func `R39: a date that cannot be measured is the same wait for the client and for the machine`() {
    #expect(RetryAfter.unmeasuredDelay == RetryHint.unmeasuredWait.milliseconds)
  }
}
