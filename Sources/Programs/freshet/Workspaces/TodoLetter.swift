/// The states of todos, a letter each: what recordings and the truth of agents compare.
enum TodoLetter {
  /// The letter of a state.
  static func letter(of status: String) -> Character {
    switch status {
    case "completed": "c"
    case "in_progress": "i"
    case "pending": "p"
    default: "x"
    }
  }
}
