#if canImport(SwiftUI)
import FreshetKit
import SwiftUI

/// The state and the age under a screen; it counts by itself, because the models do.
struct AgeLine: View {
  private let text: String

  init(_ state: LiveState, _ age: Duration?, _ problem: String?) {
    let ago = age.map { "updated \($0.formatted(.units(maximumUnitCount: 1))) ago" }
    text = [state.rawValue, ago, problem].compactMap { $0 }.joined(separator: " · ")
  }

  var body: some View { Text(text).font(.footnote) }
}
#endif
