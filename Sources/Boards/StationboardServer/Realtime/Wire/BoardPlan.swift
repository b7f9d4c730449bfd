/// The content of a board: every phase that can be completed in time.
struct BoardPlan {
  /// The phases that the request wants.
  let wanted: BoardPhases
  /// The phases that are done.
  private(set) var phases: BoardPhases = [.timetable]
  /// The steps that were left out, in the contract's terms.
  private(set) var skipped: [StaticString] = []
  /// Whether the timetable was there in time.
  private(set) var isInTime = true

  /// Decides which phases are done.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - inFlight: The boards being made at once.
  ///   - began: When the request arrived.
  ///   - faults: Deliberate delays.
  init(
    _ request: BoardRequest,
    inFlight: Int,
    began: ContinuousClock.Instant,
    faults: PhaseFaults
  ) async {
    wanted = request.includeAlerts ? [.timetable, .realtime, .alerts] : [.timetable, .realtime]
    func left() -> Duration { BoardBudget.total - (ContinuousClock.now - began) }
    if !faults.areAny, inFlight <= BoardBudget.inFlight,
      left() >= max(BoardBudget.realtime, BoardBudget.alerts)
    {
      phases = wanted
      return
    }
    isInTime = await faults.pass(.timetable, within: left())
    guard isInTime else {
      skipped = ["rt_apply_skipped_budget", "alerts_skipped_budget"]
      return
    }
    let isBusy = inFlight > BoardBudget.inFlight
    if !isBusy, left() >= BoardBudget.realtime,
      await faults.pass(.realtime, within: left() - BoardBudget.realtime)
    {
      phases.insert(.realtime)
    } else {
      skipped.append("rt_apply_skipped_budget")
    }
    guard request.includeAlerts else { return }
    if !isBusy, left() >= BoardBudget.alerts,
      await faults.pass(.alerts, within: left() - BoardBudget.realtime)
    {
      phases.insert(.alerts)
    } else {
      skipped.append("alerts_skipped_budget")
    }
  }

  /// The entity tag of an answer: that of the rendered board, marked if the answer is not what the same rendered board
  /// gives when there is time.
  func entityTag(of renderedBoard: RenderedBoard, isCopy: Bool) -> String {
    var mark = isCopy ? "-copy" : isInTime ? "" : "-late"
    let left = wanted.subtracting(phases)
    for phase in BoardPhase.allCases where left.contains(phase.mark) {
      mark += "-\(phase.rawValue)"
    }
    return mark.isEmpty ? renderedBoard.entityTag : "\(renderedBoard.entityTag.dropLast())\(mark)\""
  }

  /// The kind of response.
  func mode(of renderedBoard: RenderedBoard, isCopy: Bool) -> BoardAnswer.ResponseMode {
    if isCopy { return .staleCacheFallback }
    guard isInTime else { return .staticTimeoutFallback }
    guard skipped.isEmpty else { return .degradedStatic }
    // Full means that everything that is enabled is available and fresh.
    let statuses =
      wanted.contains(.alerts)
      ? [renderedBoard.status, renderedBoard.alertsStatus] : [renderedBoard.status]
    return statuses.allSatisfy { $0 == .applied || $0 == .disabled } ? .full : .degradedStatic
  }
}
