import Foundation
import FreshnessServer
import Hummingbird

/// A measurement; the thermometer puts one whenever the temperature changes.
struct Climate: Codable, Sendable {
  var celsius: Double
  var measuredAt: Date
}

/// `ThermometerServer PORT`, started in the folder of the package.
@main
struct ThermometerServer {
  static func main() async throws {
    let climate = try ServedValue<Climate>(made: { $0.measuredAt })
    let serving = ResourceServing()
    let router = Router()
    router.add(middleware: FileMiddleware("Public", searchForIndexHtml: true))
    router.add(middleware: FileMiddleware("../../JavaScript", searchForIndexHtml: false))
    router.serve(climate, at: "climate", with: serving)
    router.acceptWrites(to: climate, at: "climate", with: serving)
    router.serveMetrics(of: serving)
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    let application = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: port))
    )
    try await application.runService()
  }
}
