/// The states of todos, a letter each: what recordings and the ground truth of agents compare.
package enum TodoLetter {
  /// The letter of a state.
  package static func letter(of status: String) -> Character {
    switch status {
    case "completed": "c"
    case "in_progress": "i"
    case "pending": "p"
    default: "x"
    }
  }
}
