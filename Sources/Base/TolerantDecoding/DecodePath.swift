import StrictJSON

extension JSONDocument {
  /// Returns the path from a value to one inside it, such as `payload.books[3].title`; empty for
  /// itself.
  ///
  /// Computed from the document when an issue needs it, so reading keeps no paths.
  ///
  /// - Parameters:
  ///   - place: The place of the inner value.
  ///   - root: The place of the outer value.
  /// - Returns: The path.
  func path(of place: Int, from root: Int) -> String {
    var text = ""
    var here = root
    while here != place {
      guard let step = step(from: here, to: place) else { return text }
      switch step {
      case .member(let name, let value):
        text += text.isEmpty ? name : "." + name
        here = value
      case .element(let index, let value):
        text += "[\(index)]"
        here = value
      }
    }
    return text
  }

  private enum Step {
    case member(String, Int)
    case element(Int, Int)
  }

  /// Returns the child of a value that contains a place.
  private func step(from here: Int, to place: Int) -> Step? {
    switch kind(at: here) {
    case .object:
      for member in members(of: here) where place < end(of: member.value) {
        return .member(name(at: member.name), member.value)
      }
      return nil
    case .list:
      var next = here + 1
      var index = 0
      while end(of: next) <= place {
        next = end(of: next)
        index += 1
      }
      return .element(index, next)
    default: return nil
    }
  }
}
