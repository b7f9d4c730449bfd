import Serving
import Testing

/// The text format of measurements.
@Suite struct MetricsTests {
  @Test func `a measurement has its help, its kind, and its values`() {
    var metrics = MetricsText()
    metrics.add(
      "a_total",
      .counter,
      "What a is",
      [(labels: [("feed", "x")], value: 3), (labels: [], value: 0.5)]
    )
    #expect(
      metrics.text == """
        # HELP a_total What a is
        # TYPE a_total counter
        a_total{feed="x"} 3
        a_total 0.5

        """
    )
  }

  @Test func `what is not known is left out`() {
    var metrics = MetricsText()
    metrics.add("a", .gauge, "A", nil)
    metrics.add(
      "b",
      .gauge,
      "B",
      [(labels: [("k", "1")], value: nil), (labels: [("k", "2")], value: 1)]
    )
    #expect(!metrics.text.contains("# HELP a "))
    #expect(metrics.text.contains("b{k=\"2\"} 1\n"))
    #expect(!metrics.text.contains("k=\"1\""))
  }

  @Test func `labels are escaped, and numbers are what Prometheus reads`() {
    var metrics = MetricsText()
    metrics.add("a", .gauge, "A\nB\\", [(labels: [("k", "q\"b\\n\nz")], value: .infinity)])
    metrics.add(
      "n",
      .gauge,
      "N",
      [(labels: [], value: .nan), (labels: [], value: -.infinity), (labels: [], value: 1e18)]
    )
    #expect(metrics.text.contains("# HELP a A\\nB\\\\\n"))
    #expect(metrics.text.contains("a{k=\"q\\\"b\\\\n\\nz\"} +Inf\n"))
    #expect(metrics.text.contains("n NaN\nn -Inf\nn 1e+18\n"))
  }
}
