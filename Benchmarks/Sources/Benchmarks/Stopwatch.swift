/// A stopwatch for work in this process.
enum Stopwatch {
    /// Returns the median time of `work` in seconds, after one run to warm up. Measures at least three runs, for at
    /// least half a second. The release of the results isn't measured.
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
