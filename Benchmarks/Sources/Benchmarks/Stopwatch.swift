/// The time that work takes in this process.
enum Stopwatch {
    /// Seconds that one run of `work` takes: the median of as many as half a second holds, three at least, after one
    /// that warms up. What a run gives is let go of only after its time is taken.
    static func seconds<Value>(_ work: () throws -> Value) rethrows -> Double {
        let clock = ContinuousClock()
        withExtendedLifetime(try work()) {}
        let deadline = clock.now + .milliseconds(500)
        var times: [Double] = []
        while times.count < 3 || clock.now < deadline {
            let start = clock.now
            let value = try work()
            times.append((clock.now - start).milliseconds / 1000)
            withExtendedLifetime(value) {}
        }
        return times.median
    }
}
