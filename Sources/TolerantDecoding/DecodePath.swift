/// The way from the root of a document to a value in it.
///
/// A chain from the inside out, so that going down costs one allocation for an object or a list, and
/// text is made for an issue only.
indirect enum DecodePath {
  case root
  case step(DecodePath, DecodeStep)

  /// The path as text: `payload.books[3].title`.
  var text: String {
    var steps: [DecodeStep] = []
    var path = self
    while case .step(let parent, let step) = path {
      steps.append(step)
      path = parent
    }
    var text = ""
    for step in steps.reversed() {
      switch step {
      case .member(let name): text += text.isEmpty ? name : "." + name
      case .element(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

/// One step of a path.
enum DecodeStep {
  case member(String)
  case element(Int)
}
