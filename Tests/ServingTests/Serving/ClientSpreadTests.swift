import Serving
import Testing

@Suite("How far clients are spread")
struct ClientSpreadTests {
  @Test
  func `Few clients ask at once`() {
    for clients in [0, 1, 200] {
      #expect(ClientSpread.window(clients: clients, period: 15, ease: 200) == 0)
    }
    #expect(ClientSpread.window(clients: 201, period: 15, ease: 200) == 2)
  }

  @Test
  func `The busiest second is at most what the server answers with ease, or 1.6 times the mean`() {
    for ease in [20, 200, 2_000] {
      for period in [1.0, 5, 15, 20, 30] {
        for clients in [1, 10, 100, 1_000, 10_000, 1_000_000] {
          let window = ClientSpread.window(clients: clients, period: period, ease: ease)
          #expect(window >= 0 && window <= period)
          let busiest = Double(clients) / max(window, 1)
          let mean = Double(clients) / max(period, 1)
          #expect(
            busiest <= max(Double(ease), mean * 1.6),
            "\(clients) every \(period) s: \(window)"
          )
        }
      }
    }
  }

  @Test
  func `More clients never get a narrower window, and no window is wider than the widest`() {
    var before = 0.0
    for clients in stride(from: 0, through: 20_000, by: 50) {
      let window = ClientSpread.window(clients: clients, period: 600, ease: 200)
      #expect(window >= before && window <= 20)
      before = window
    }
    #expect(before == 20)
  }

  @Test
  func `Invalid periods spread no client`() {
    for period in [0, -1, .nan, .infinity] {
      #expect(ClientSpread.window(clients: 9_000, period: period, ease: 200) == 0)
    }
    #expect(ClientSpread.window(clients: 9_000, period: 15, ease: 0) == 0)
  }
}

@Suite("Requests of the last seconds")
struct RequestCountTests {
  @Test
  func `It counts what came within the span, and forgets it afterwards`() {
    var count = RequestCount()
    #expect(count.count(last: 15, at: 1_000) == 0)
    for second in 0..<30 { for _ in 0..<3 { count.note(at: 1_000.5 + Double(second)) } }
    #expect(count.count(last: 1, at: 1_029.9) == 6)
    #expect(count.count(last: 15, at: 1_029.9) == 48)
    #expect(count.count(last: 600, at: 1_029.9) == 63)
    #expect(count.count(last: 15, at: 1_039) == 18)
    #expect(count.count(last: 15, at: 1_045) == 0)
    #expect(count.count(last: 20, at: 1_000_000) == 0)
  }

  @Test
  func `A clock that goes back, or leaps, counts no request twice and loses none`() {
    var count = RequestCount()
    count.note(at: 500)
    count.note(at: 100)
    count.note(at: -3)
    #expect(count.count(last: 5, at: 400) == 3)
    count.note(at: 1e9)
    #expect(count.count(last: 20, at: 1e9) == 1)
  }
}
