import Commands
import Foundation
import Freshness
import FreshnessRuntime
import Stationboard
import StationboardClient
import TerminalText

/// Draws a board as lines of text.
struct BoardText {
  /// The width of the terminal.
  let columns: Int
  /// The number of colors.
  let colours: ColourDepth
  /// The language.
  let messages: BoardMessages

  /// Returns a whole board: title, rows, banners; the freshness line is drawn separately.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - now: The server's time, in seconds since 1970.
  ///   - rows: The maximum number of departures; `nil` for all.
  ///   - filter: The departures to show.
  /// - Returns: Lines, without line ends.
  func lines(
    _ board: Board,
    at now: Double,
    rows: Int? = nil,
    filter: BoardFilter = BoardFilter()
  )
    -> [String]
  {
    let zone = TimeZone(identifier: board.station?.timezone ?? "") ?? .current
    var lines = [title(board, now, zone), header()]
    // A departure is removed from the board 30 s after it left the stop, or after a minute if nothing else is known: the
    // server counts it for 45 s. A board is empty only if the server says so.
    let ahead = board.departures.filter { Self.instant($0) >= now - 30 }
    let current =
      ahead.isEmpty ? board.departures.filter { Self.instant($0) >= now - 60 } : ahead
    let wanted = current.filter { filter.fits($0) }
    let banners = (board.banners ?? []).compactMap(\.header).prefix(3)
    let offers = (board.onDemand ?? []).prefix(3).flatMap { offer in
      TerminalText.wrapped("☎ " + onDemand(offer, zone), max(columns - 1, 20))
    }
    let room = rows.map { max($0 - banners.count - offers.count, 1) } ?? .max
    for departure in wanted.prefix(room) { lines.append(row(departure, now, zone)) }
    if board.departures.isEmpty {
      lines.append("  " + emptiness(board, zone))
    } else if wanted.isEmpty, !current.isEmpty {
      lines.append("  " + messages.nothingFits)
    }
    for offer in offers { lines.append(paint("2", offer)) }
    for banner in banners { lines.append(paint("33", Terminal.fit("⚠ \(banner)", columns - 1))) }
    return lines
  }

  /// Returns a service on demand in a line: when, and how it is booked.
  private func onDemand(_ service: Board.OnDemandService, _ zone: TimeZone) -> String {
    func time(_ text: String?, _ format: String) -> String? {
      text.flatMap { BoardInstant.read($0) }.map { Self.text(Self.seconds($0), zone, format) }
    }
    let day = "yyyy-MM-dd HH:mm"
    let window = [time(service.opensAt, day), time(service.closesAt, "HH:mm")]
    let booking = service.booking
    let until = time(booking.bookBy, day).map { messages.bookBy($0) }
    let ahead = booking.noticeMinutes.map { messages.bookAhead($0) }
    let parts: [String?] = [
      service.line, window.compactMap(\.self).joined(separator: " – "), booking.phone,
      until ?? ahead,
    ]
    let said = parts.compactMap(\.self).map { Terminal.plain($0) }
    return messages.onDemand + " " + said.joined(separator: " · ")
  }

  /// Whether the platform fits; on a narrow terminal it is omitted first, then the time.
  private var showsPlatform: Bool { columns >= 46 }
  private var showsTime: Bool { columns >= 36 }
  private var statusWidth: Int { columns >= 60 ? 17 : columns >= 40 ? 11 : 9 }

  private var destinationWidth: Int {
    let fixed = 2 + 7 + 1 + (showsTime ? 6 : 0) + (showsPlatform ? 8 : 0) + statusWidth
    return max(1, columns - fixed)
  }

  private func title(_ board: Board, _ now: Double, _ zone: TimeZone) -> String {
    // The clock is aligned with the end of the minutes.
    let name = Terminal.fit(board.station?.name ?? "?", max(10, columns - 6))
    return paint("1", name) + " " + Self.clock(now, zone)
  }

  private func header() -> String {
    let text =
      "  " + Terminal.fit(messages.line, 7) + Terminal.fit(messages.destination, destinationWidth)
      + " "
      + (showsTime ? Terminal.fit(messages.time, 6) : "")
      + (showsPlatform ? Terminal.fit(messages.platform, 8) : "")
      + Terminal.fit(messages.minutes, statusWidth, atEnd: true)
    return paint("2", text)
  }

  private func row(_ departure: Departure, _ now: Double, _ zone: TimeZone) -> String {
    // A vehicle of a headway has no time of its own in the timetable.
    let isOfHeadway = departure.certainty == "headway"
    let predicted = isOfHeadway ? departure.realtimeDeparture : nil
    let shown = BoardInstant.read(predicted ?? departure.scheduledDeparture).map(Self.seconds) ?? 0
    let mark = departure.alerts?.isEmpty == false ? paint("33", "!") + " " : "  "
    let isOff = departure.cancelled
    let destination = Terminal.fit(departure.destination ?? "", destinationWidth)
    let time = showsTime ? Terminal.fit(Self.clock(shown, zone), 6) : ""
    // The timetable has no time for the stop, or not to the minute.
    let isApproximate =
      departure.certainty == "interpolated" || isOfHeadway && predicted == nil
      || departure.uncertaintySec != nil
    let gap = isApproximate && showsTime ? "≈" : " "
    let text = isOff ? crossed(destination) + gap + crossed(time) : destination + gap + time
    return mark + badge(departure) + text + (showsPlatform ? platform(departure) : "")
      + status(departure, now, zone)
  }

  /// Returns a column whose text is crossed out, without the trailing spaces.
  private func crossed(_ column: String) -> String {
    let spaces = column.reversed().prefix { $0 == " " }.count
    let text = String(column.dropLast(spaces))
    return (text.isEmpty ? "" : paint("9", text)) + String(repeating: " ", count: spaces)
  }

  /// Returns the platform; a changed one with that of the timetable.
  private func platform(_ departure: Departure) -> String {
    guard departure.platformChanged == true, let platform = departure.platform else {
      return Terminal.fit(departure.platform ?? "", 8)
    }
    let before = departure.previousPlatform.map { "\($0)→" } ?? "→"
    return paint("1;33", Terminal.fit("\(before)\(platform)", 7)) + " "
  }

  private func status(_ departure: Departure, _ now: Double, _ zone: TimeZone) -> String {
    let minutes = minutes(until: Self.instant(departure), now)
    let flags = Set(departure.flags ?? [])
    if departure.cancelled {
      let isSkipped = flags.contains("STOP_SKIPPED") && !flags.contains("TRIP_CANCELLED")
      let word = isSkipped ? messages.skipped : messages.cancelled
      return paint("1;31", Terminal.fit(word, statusWidth, atEnd: true))
    }
    let room = statusWidth - 4
    var told = fitting(notes(departure, flags, now, zone), room)
    var used = told.map { Terminal.width(of: $0.text) + 1 }.reduce(0, +) - 1
    // The number of a train has the room that the notes leave.
    if let name = departure.tripShortName, !name.isEmpty, name != departure.line {
      let number = messages.number(Terminal.plain(name))
      let needed = used + 1 + Terminal.width(of: number)
      if needed <= room {
        told.insert((number, "2"), at: 0)
        used = needed
      }
    }
    return String(repeating: " ", count: max(room - max(used, 0), 0))
      + told.map { paint($0.style, $0.text) }.joined(separator: " ")
      + self.minutes(minutes, PredictionAge(departure, at: now))
  }

  /// Returns the minutes, in green if a prediction confirms them, with a mark if it is old.
  private func minutes(_ minutes: String, _ age: PredictionAge?) -> String {
    guard age == .stale, !minutes.isEmpty else {
      return paint(age == nil ? "0" : "32", Terminal.fit(minutes, 4, atEnd: true))
    }
    return paint("33", Terminal.fit("◐\(minutes)", 4, atEnd: true))
  }

  /// A note about a departure, in full and short, with its SGR parameters.
  private struct Note {
    var long: String
    var short: String
    var style: String
  }

  /// Returns the notes about a departure, the most important last.
  private func notes(
    _ departure: Departure,
    _ flags: Set<String>,
    _ now: Double,
    _ zone: TimeZone
  )
    -> [Note]
  {
    var notes: [Note] = []
    func add(_ note: (long: String, short: String), _ style: String) {
      notes.append(Note(long: note.long, short: note.short, style: style))
    }
    if let line = departure.continuesAs?.first?.line, line != departure.line {
      add(messages.continues(as: Terminal.plain(line)), "2")
    }
    if flags.contains("EXTRA_SERVICE") { add((messages.extra, messages.extra), "36") }
    if flags.contains("REPLACEMENT_SERVICE") { add(messages.replacement, "36") }
    if flags.contains("DETOUR") { add((messages.detour, messages.detour), "33") }
    switch departure.occupancy ?? departure.vehicle?.occupancy {
    case "STANDING_ROOM_ONLY", "CRUSHED_STANDING_ROOM_ONLY": add(messages.crowded, "2")
    case "FULL", "NOT_ACCEPTING_PASSENGERS": add(messages.full, "33")
    default: break
    }
    if let vehicle = departure.vehicle {
      if vehicle.stopsAway == 0, vehicle.status == "STOPPED_AT" { add(messages.atStop, "32") }
      if vehicle.stopsAway == 0, vehicle.status == "INCOMING_AT" { add(messages.incoming, "32") }
    }
    if let boarding = departure.boarding {
      switch booking(departure, now) {
      case .closed: add(messages.bookingClosed, "33")
      case .open(let until) where Self.isSameDay(until, now, zone):
        add(messages.phone(before: Self.clock(until, zone)), "2")
      case .open, nil: add(messages.boarding(boarding), "2")
      }
    }
    if let headway = departure.headwaySec {
      let text = messages.every(max(1, Int((Double(headway) / 60).rounded())))
      add((text, text), "2")
    }
    if let skipped = departure.skippedStops, let first = skipped.first {
      add(messages.doesNotStop(at: Terminal.plain(first), and: skipped.count - 1), "33")
    }
    let isShort = flags.contains("SHORT_TURN") || flags.contains("SHORT_TURN_TERMINUS")
    if isShort {
      add(
        departure.endsAt.map { messages.ends(at: Terminal.plain($0)) } ?? messages.endsEarly,
        "33"
      )
    }
    if !showsPlatform, departure.platformChanged == true, let platform = departure.platform {
      let text = "→" + Terminal.plain(platform)
      add((text, text), "1;33")
    }
    if let delay = departure.delayMin {
      if delay > 1 { add(("+\(delay)", "+\(delay)"), "33") }
      if delay < 0, departure.status == "EARLY" { add((messages.early, messages.early), "35") }
    }
    return notes
  }

  /// Whether a departure that needs a call to the agency can still be booked.
  private enum BookingState {
    /// Until an instant, in seconds since 1970.
    case open(until: Double)
    /// It is too late.
    case closed
  }

  /// Returns whether a departure can still be booked by a call; `nil` if it needs none, or the feed does not say
  /// until when.
  ///
  /// The board of the server says the instant only, so that it does not change when the instant passes.
  private func booking(_ departure: Departure, _ now: Double) -> BookingState? {
    guard departure.boarding == "phone_agency",
      let until = departure.booking?.bookBy.flatMap({ BoardInstant.read($0) }).map(Self.seconds)
    else { return nil }
    return until > now ? .open(until: until) : .closed
  }

  /// Returns the notes that fit: in full, else short, else without the less important ones.
  private func fitting(_ notes: [Note], _ room: Int) -> [(text: String, style: String)] {
    for first in notes.indices {
      let rest = notes[first...]
      for told in [rest.map { ($0.long, $0.style) }, rest.map { ($0.short, $0.style) }]
      where told.map({ Terminal.width(of: $0.0) + 1 }).reduce(0, +) - 1 <= room { return told }
    }
    return notes.last.map { [(Terminal.fit($0.short, room), $0.style)] } ?? []
  }

  private func badge(_ departure: Departure) -> String {
    let line = Terminal.fit(" " + (departure.line ?? "") + " ", 6)
    guard
      let background = departure.routeColor.flatMap({ UInt32($0, radix: 16) }),
      let behind = colours.parameters(background, isBackground: true)
    else { return paint("1", line) + " " }
    // Black or white, whichever contrasts more, if the feed has no text color.
    let brightness =
      Double(background >> 16 & 255) * 0.299 + Double(background >> 8 & 255) * 0.587
      + Double(background & 255) * 0.114
    let given = colours == .full ? departure.routeTextColor.flatMap { UInt32($0, radix: 16) } : nil
    let text = given ?? (brightness > 140 ? 0x000000 : 0xFFFFFF)
    let front = colours.parameters(text, isBackground: false) ?? "0"
    return paint("1;\(front);\(behind)", line) + " "
  }

  /// Returns the minutes, rounded up; 1 in the last minute, then an arrow.
  private func minutes(until instant: Double, _ now: Double) -> String {
    let seconds = instant - now
    if seconds <= 0 { return "◀" }
    if seconds <= 60 { return "1'" }
    let minutes = Int(min((seconds / 60).rounded(.up), 1_000))
    return minutes < 60 ? "\(minutes)'" : ""
  }

  /// Returns when it leaves, in seconds since 1970.
  static func instant(_ departure: Departure) -> Double {
    let text = departure.realtimeDeparture ?? departure.scheduledDeparture
    return BoardInstant.read(text).map(seconds) ?? 0
  }

  private static func seconds(_ time: WallTime) -> Double { Double(time.milliseconds) / 1_000 }

  private func emptiness(_ board: Board, _ zone: TimeZone) -> String {
    var text =
      switch board.noService?.reason {
      case "stop_has_no_departures": messages.noService
      case "outside_feed_validity":
        "\(messages.notCovered) (\(board.meta.timetable?.validFrom ?? "?") –"
          + " \(board.meta.timetable?.validUntil ?? "?"))."
      default: messages.noDepartures
      }
    if let next = board.noService?.nextDeparture.flatMap({ BoardInstant.read($0) }) {
      let instant = Self.seconds(next)
      text += " \(messages.next): \(Self.text(instant, zone, "yyyy-MM-dd HH:mm"))."
    }
    return Terminal.plain(text)
  }

  // MARK: The freshness line

  /// Returns how fresh the board is and what the engine does about it, in one line (R26 to R28).
  ///
  /// - Parameters:
  ///   - report: The engine's report.
  ///   - board: The board that is shown; `nil` before the first one.
  ///   - failure: The most recent failure.
  /// - Returns: The line.
  func freshness(_ report: FreshnessReport?, of board: Board?, failure: LiveFailure?) -> String {
    guard let report else { return paint("2", "○ \(messages.noCopy)") }
    var parts: [String] = []
    var mark = "○"
    var style = "2"
    let label = report.label.isKept ? nil : RealtimeLabel(report.label.marker, of: board)
    switch report.label.marker {
    case .normal:
      (mark, style) = report.label.badge == .live ? ("●", "32") : ("◐", "33")
      if label == .notYet { (mark, style) = ("○", "2") }
      // An unreachable source is not live, whatever its last state.
      if failure == nil { parts.append(messages.realtime(label ?? .live)) }
    case .reduced(let reason):
      (mark, style) = reason == .status(.disabled) || label == .missing ? ("○", "2") : ("◐", "33")
      parts.append(label.map { messages.realtime($0) } ?? messages.reason(reason))
    case .none: break
    }
    let provenance = report.label.provenance
    parts.append(
      report.label.wording.map { messages.provenance(provenance, $0) } ?? messages.noCopy
    )
    if report.isStreaming { parts.append(messages.stream) }
    if report.isRequesting {
      parts.append(messages.requesting)
    } else if let next = report.nextActionIn, !report.isStreaming {
      parts.append(messages.next(in: (next.milliseconds + 999) / 1_000))
    }
    if let failure {
      (mark, style) = ("▲", "33")
      parts.append(Terminal.plain(String(failure.description.prefix(200))))
    }
    return paint(
      style,
      Terminal.fit("\(mark) \(parts.joined(separator: " · "))", max(columns - 1, 20))
    )
  }

  // MARK: Words

  private static func clock(_ instant: Double, _ zone: TimeZone) -> String {
    text(instant, zone, "HH:mm")
  }

  private static func isSameDay(_ one: Double, _ other: Double, _ zone: TimeZone) -> Bool {
    text(one, zone, "yyyy-MM-dd") == text(other, zone, "yyyy-MM-dd")
  }

  private static func text(_ instant: Double, _ zone: TimeZone, _ format: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = format
    return formatter.string(from: Date(timeIntervalSince1970: instant))
  }

  /// Returns text in a style, if styles are on.
  func paint(_ code: String, _ text: String) -> String {
    colours.paint(code, text)
  }
}
