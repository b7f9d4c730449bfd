import Foundation
import Serving
import Stationboard

/// Draws a board as lines of text.
struct BoardText {
  /// The width of the terminal.
  let columns: Int
  /// Whether to use colours.
  let hasColor: Bool

  /// The whole board.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - checkedAgo: Seconds since the server last confirmed the board.
  ///   - failure: Why the last refresh failed; `nil` if it did not.
  ///   - rows: The most departures; `nil` for all.
  /// - Returns: Lines, each ended.
  func render(_ board: Board, checkedAgo: Int, failure: String?, rows: Int? = nil) -> String {
    let zone = TimeZone(identifier: board.station?.timezone ?? "") ?? .current
    let served = InstantText.read(board.meta.serverTime) ?? Date().timeIntervalSince1970
    let now = served + Double(checkedAgo)
    var lines = [title(board, now, zone), header()]
    // A departure leaves the board 30 s after it left the stop.
    let current = board.departures.filter { instant($0) >= now - 30 }
    for departure in current.prefix(rows ?? .max) { lines.append(row(departure, now, zone)) }
    if current.isEmpty { lines.append("  " + emptiness(board, zone)) }
    lines.append("")
    lines.append(freshness(board, checkedAgo, failure))
    return lines.joined(separator: "\n") + "\n"
  }

  /// On a narrow terminal the platform goes first, then the time.
  private var showsPlatform: Bool { columns >= 46 }
  private var showsTime: Bool { columns >= 36 }

  private var destinationWidth: Int {
    let fixed = 2 + 7 + 1 + (showsTime ? 6 : 0) + (showsPlatform ? 7 : 0) + 9
    return max(4, columns - fixed)
  }

  private func title(_ board: Board, _ now: Double, _ zone: TimeZone) -> String {
    let name = Terminal.fit(board.station?.name ?? "?", max(10, columns - 8))
    return paint("1", name) + " " + clock(now, zone)
  }

  private func header() -> String {
    let text =
      "  " + Terminal.fit("line", 7) + Terminal.fit("destination", destinationWidth) + " "
      + (showsTime ? Terminal.fit("time", 6) : "")
      + (showsPlatform ? Terminal.fit("plat.", 7) : "") + Terminal.fit("in", 9, atEnd: true)
    return paint("2", text)
  }

  private func row(_ departure: Departure, _ now: Double, _ zone: TimeZone) -> String {
    let minutes = self.minutes(until: instant(departure), now)
    var status = minutes
    if departure.cancelled {
      status = "cancelled"
    } else if let delay = departure.delayMin, delay > 1 {
      status = "+\(delay)  " + minutes
    }
    let scheduled = InstantText.read(departure.scheduledDeparture) ?? 0
    let text =
      Terminal.fit(departure.destination ?? "", destinationWidth) + " "
      + (showsTime ? Terminal.fit(clock(scheduled, zone), 6) : "")
      + (showsPlatform ? Terminal.fit(departure.platform ?? "", 7) : "")
      + Terminal.fit(status, 9, atEnd: true)
    return "  " + badge(departure) + (departure.cancelled ? paint("9", text) : text)
  }

  private func badge(_ departure: Departure) -> String {
    let line = Terminal.fit(" " + (departure.line ?? "") + " ", 6)
    guard
      hasColor, let background = departure.routeColor.flatMap({ UInt32($0, radix: 16) })
    else { return paint("1", line) + " " }
    // Black or white, whichever stands out, when the feed gives no text colour.
    let brightness =
      Double(background >> 16) * 0.299 + Double(background >> 8 & 255) * 0.587
      + Double(background & 255) * 0.114
    let text =
      departure.routeTextColor.flatMap { UInt32($0, radix: 16) }
      ?? (brightness > 140 ? 0x000000 : 0xFFFFFF)
    func parts(_ color: UInt32) -> String { "\(color >> 16);\(color >> 8 & 255);\(color & 255)" }
    return "\u{1B}[1;38;2;\(parts(text));48;2;\(parts(background))m\(line)\u{1B}[0m "
  }

  /// Over a minute: rounded up; the last minute: 1; then an arrow.
  private func minutes(until instant: Double, _ now: Double) -> String {
    let seconds = instant - now
    if seconds <= 0 { return "◀" }
    if seconds <= 60 { return "1'" }
    let minutes = Int((seconds / 60).rounded(.up))
    return minutes < 60 ? "\(minutes)'" : ""
  }

  private func instant(_ departure: Departure) -> Double {
    InstantText.read(departure.realtimeDeparture ?? departure.scheduledDeparture) ?? 0
  }

  private func emptiness(_ board: Board, _ zone: TimeZone) -> String {
    var text =
      switch board.noService?.reason {
      case "stop_has_no_departures": "No service stops here in this timetable."
      case "outside_feed_validity":
        "The timetable does not cover this day (\(board.meta.timetable?.validFrom ?? "?") to"
          + " \(board.meta.timetable?.validUntil ?? "?"))."
      default: "No departures in the next hours."
      }
    if let next = board.noService?.nextDeparture.flatMap({ InstantText.read($0) }) {
      text += " Next: \(day(next, zone)) \(clock(next, zone))."
    }
    return text
  }

  private func freshness(_ board: Board, _ checkedAgo: Int, _ failure: String?) -> String {
    let age = checkedAgo < 60 ? "\(checkedAgo) s" : "\(checkedAgo / 60) min"
    if let failure { return paint("33", "▲ checked \(age) ago · \(Terminal.plain(failure))") }
    switch board.meta.rtStatus {
    case "applied": return paint("32", "● live · checked \(age) ago")
    case "disabled": return paint("2", "○ timetable only · checked \(age) ago")
    default: return paint("33", "◐ realtime \(board.meta.rtStatus) · checked \(age) ago")
    }
  }

  private func clock(_ instant: Double, _ zone: TimeZone) -> String {
    text(instant, zone, "HH:mm")
  }

  private func day(_ instant: Double, _ zone: TimeZone) -> String {
    text(instant, zone, "yyyy-MM-dd")
  }

  private func text(_ instant: Double, _ zone: TimeZone, _ format: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = zone
    formatter.dateFormat = format
    return formatter.string(from: Date(timeIntervalSince1970: instant))
  }

  private func paint(_ code: String, _ text: String) -> String {
    hasColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
