import Testing

@testable import Serving

@Suite struct RouteMetricsTests {
  private func text(_ metrics: RouteMetrics) -> String {
    var text = MetricsText()
    metrics.write(to: &text)
    return text.text
  }

  @Test func `Requests are counted by route, method and class`() {
    let metrics = RouteMetrics()
    metrics.count("/a/{id}", "GET", 200, seconds: 0.02)
    metrics.count("/a/{id}", "GET", 204, seconds: nil)
    metrics.count("/a/{id}", "GET", 503, seconds: 7)
    metrics.count(nil, "BREW", 404, seconds: 0)
    metrics.count("/a/{id}", "GET", 0, seconds: nil)
    let lines = Set(text(metrics).split(separator: "\n").map(String.init))
    for line in [
      #"freshet_http_requests_total{route="/a/{id}",method="GET",class="2xx"} 2"#,
      #"freshet_http_requests_total{route="/a/{id}",method="GET",class="5xx"} 1"#,
      #"freshet_http_requests_total{route="/a/{id}",method="GET",class="left"} 1"#,
      #"freshet_http_requests_total{route="none",method="other",class="4xx"} 1"#,
      #"freshet_http_request_duration_seconds_bucket{route="/a/{id}",method="GET",le="0.01"} 0"#,
      #"freshet_http_request_duration_seconds_bucket{route="/a/{id}",method="GET",le="0.025"} 1"#,
      #"freshet_http_request_duration_seconds_bucket{route="/a/{id}",method="GET",le="+Inf"} 2"#,
      #"freshet_http_request_duration_seconds_count{route="/a/{id}",method="GET"} 2"#,
      #"freshet_http_request_duration_seconds_sum{route="/a/{id}",method="GET"} 7.02"#,
    ] { #expect(lines.contains(line), "\(line)") }
  }

  @Test func `Nothing is written before the first request`() {
    #expect(text(RouteMetrics()).isEmpty)
  }

  @Test func `Series are limited`() {
    let metrics = RouteMetrics()
    for number in 0..<2_000 { metrics.count("/\(number)", "GET", 200, seconds: nil) }
    let lines = text(metrics).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == RouteMetrics.mostSeries + 1)
    #expect(
      lines.contains { $0.contains(#"route="none",method="other""#) && $0.hasSuffix(" 1488") }
    )
  }
}
