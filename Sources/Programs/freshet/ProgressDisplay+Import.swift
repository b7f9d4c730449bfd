import Commands
import Timetable

extension ProgressDisplay {
  /// Shows how far an import is.
  func show(_ progress: ImportProgress) {
    let name =
      switch progress.step {
      case "download": "downloading"
      case "index": "ordering departures"
      case "write": "writing timetable"
      case "check": "checking timetable"
      case "search": "building stop search"
      case "store": "storing for all servers"
      case "fetch": "fetching what serves"
      case "realtime": "fetching realtime"
      default: "reading \(progress.step)"
      }
    show(
      name,
      done: progress.done,
      total: progress.total,
      unit: progress.step == "realtime" ? .items("sources") : .bytes
    )
  }
}
