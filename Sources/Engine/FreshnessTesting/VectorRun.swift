import Freshness
import StrictJSON

/// A run of one vector on one machine.
struct VectorRun<Machine: ConformingMachine> {
  /// The differences so far.
  private(set) var mismatches: [ConformanceMismatch] = []
  private var machine: Machine
  private var diagnostics: Diagnostics
  private var now = Instant.start
  private var last = Effects()
  /// The requests that the machine ordered, by generation, with their contexts and times.
  private var ordered: [Int64: (context: Context, at: Instant)] = [:]
  private var requests: [JSONValue] = []
  private let vector: ConformanceVector

  init(_ vector: ConformanceVector, _ machine: Machine) {
    self.vector = vector
    self.machine = machine
    diagnostics = Diagnostics(policy: vector.policy)
  }

  /// Runs one step and compares the results.
  mutating func handle(_ step: ConformanceVector.Step, number: Int) {
    var problem: JSONValue?
    switch step.action {
    case .wait(let service): problem = wait(until: step.instant, service, random: step.random)
    case .event(let event):
      now = step.instant
      send(event, random: step.random)
    case .delivered(let context, let answer):
      now = step.instant
      send(.streamDelivered(context ?? machine.context, answer), random: step.random)
    case .answered(let generation, let context, let answer):
      now = step.instant
      switch ticket(generation, context) {
      case .success(let ticket): send(.answered(ticket, answer), random: step.random)
      case .failure(let missing): problem = .string(missing.description)
      }
    case .notHeld(let generation, let context):
      now = step.instant
      switch ticket(generation, context) {
      case .success(let ticket): send(.notHeld(ticket), random: step.random)
      case .failure(let missing): problem = .string(missing.description)
      }
    case .queued(let generation, let context):
      now = step.instant
      switch ticket(generation, context) {
      case .success(let ticket): send(.queued(ticket), random: step.random)
      case .failure(let missing): problem = .string(missing.description)
      }
    }
    if let problem {
      report(number, member: "event", expected: .string(step.name), got: problem)
      return
    }
    for difference in differences(from: step.expected, isWait: step.name == "wait") {
      report(number, member: difference.path, expected: difference.expected, got: difference.got)
    }
  }

  private mutating func report(
    _ step: Int,
    member: String,
    expected: JSONValue,
    got: JSONValue
  ) {
    mismatches.append(
      ConformanceMismatch(
        file: vector.file,
        vector: vector.id,
        step: step,
        member: member,
        expected: expected,
        got: got
      )
    )
  }

  private mutating func send(_ event: Event, random: RandomSample) {
    last = machine.handle(event, at: now, random: random)
    diagnostics.record(last)
    guard let request = last.request else { return }
    ordered[request.ticket.generation] = (request.ticket.context, now)
    var members = Readout.request(request)
    members["at"] = .whole(now.milliseconds)
    requests.append(.object(members))
  }

  // MARK: Waiting

  /// Lets time pass; returns the problem, if any.
  private mutating func wait(
    until end: Instant,
    _ service: ConformanceVector.Service?,
    random: RandomSample
  ) -> JSONValue? {
    last = Effects()
    last.alarm = machine.alarm
    requests = []
    for _ in 0..<ConformanceRun.mostEvents {
      let alarm = machine.alarm.map { max($0, now) }
      let answer = service.flatMap { answerDue($0) }
      if let (event, due) = answer, due <= end, alarm.map({ due <= $0 }) ?? true {
        now = due
        send(event, random: random)
      } else if let alarm, alarm <= end {
        now = alarm
        send(.woke, random: random)
      } else {
        now = end
        return nil
      }
    }
    return .string("more than \(ConformanceRun.mostEvents) events")
  }

  private func answerDue(_ service: ConformanceVector.Service) -> (Event, Instant)? {
    guard let ticket = machine.outstanding, let sent = ordered[ticket.generation] else {
      return nil
    }
    return (.answered(ticket, service.answer), max(sent.at + service.latency, now))
  }

  // MARK: Answers

  private struct NoTicket: Error, CustomStringConvertible {
    let description: String
  }

  private func ticket(
    _ generation: Int64?,
    _ context: Context?
  ) -> Result<Ticket, NoTicket> {
    guard let generation = generation ?? machine.outstanding?.generation else {
      return .failure(NoTicket(description: "no request is out"))
    }
    guard let context = context ?? ordered[generation]?.context else {
      return .failure(NoTicket(description: "no request \(generation) was ever ordered"))
    }
    return .success(Ticket(generation: generation, context: context))
  }

  // MARK: Comparison

  private func differences(
    from expected: [String: JSONValue],
    isWait: Bool
  ) -> [ExpectedShape.Difference] {
    guard !expected.isEmpty else { return [] }
    var got = Readout.effects(last)
    if isWait {
      got["requests"] = .list(requests)
      got["requestCount"] = .whole(Int64(requests.count))
    }
    if expected["shows"] != nil { got["shows"] = Readout.shows(machine, at: now) }
    got["counters"] = Readout.counters(diagnostics.counters)
    if expected["ring"] != nil {
      got["ring"] = .list(diagnostics.ring.samples.map { .whole($0.ticket.generation) })
    }
    return ExpectedShape.of(wait: isWait).differences(.object(expected), .object(got), path: "")
  }
}
