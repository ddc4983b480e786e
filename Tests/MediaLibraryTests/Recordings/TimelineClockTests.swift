import Testing

@testable import MediaLibrary

/// When segments are.
struct TimelineClockTests {
    private static let second: Int64 = 1_000_000_000
    private static let day = 86_400 * second
    private static let noon = 1_700_000_000 * second

    private var clock = TimelineClock()

    /// Places a segment of 6 s.
    ///
    /// - Parameters:
    ///   - arrival: when it began by its coming, in seconds after noon.
    ///   - date: when it began by its playlist's clock, likewise.
    /// - Returns: when it begins, likewise.
    private mutating func place(
        arrival: Double, date: Double? = nil, missing: TimelineClock.Missing? = nil, shared: Double? = nil
    ) -> Double {
        func time(_ seconds: Double) -> Int64 { Self.noon + Int64(seconds * 1e9) }
        let start = clock.place(
            .init(
                programDateTime: date.map(time), arrival: time(arrival), duration: 6 * Self.second, missing: missing),
            shared: shared.map(time))
        return Double(start - Self.noon) / 1e9
    }

    @Test mutating func thePlaylistsClockCounts() {
        for number in 0..<10 {
            let date = Double(number) * 6.25
            #expect(place(arrival: Double(number) * 6 + 20, date: date) == date)
        }
    }

    @Test mutating func withoutAClockTheFirstOnesComingCounts() {
        #expect(place(arrival: 100) == 100)
        // Those that come early or late follow the one before.
        #expect(place(arrival: 105) == 106)
        #expect(place(arrival: 115) == 112)
        #expect(place(arrival: 118) == 118)
    }

    @Test mutating func itNeverGoesBack() {
        #expect(place(arrival: 0, date: 0) == 0)
        #expect(place(arrival: 6, date: 4) == 6)
        #expect(place(arrival: 12, date: 10) == 12)
        #expect(place(arrival: 18, date: 20) == 20)
    }

    @Test(arguments: [1.0, -1]) func aClockThatJumpsIsntFollowed(sign: Double) {
        var test = self
        let day = 86_400 * sign
        #expect(test.place(arrival: 0, date: 0) == 0)
        #expect(test.place(arrival: 6, date: 6) == 6)
        // It stays there.
        for number in 2..<10 {
            let time = Double(number) * 6
            #expect(test.place(arrival: time, date: time + day) == time)
        }
        // It comes back.
        for number in 10..<12 {
            let time = Double(number) * 6
            #expect(test.place(arrival: time, date: time) == time)
        }
        // A loss after it is measured by the clock that is right again.
        #expect(test.place(arrival: 132, date: 132, missing: .time(60 * Self.second)) == 132)
    }

    @Test mutating func aLossDuringAJumpIsAsLongAsItWas() {
        #expect(place(arrival: 0, date: 0) == 0)
        #expect(place(arrival: 6, date: 86_406) == 6)
        #expect(place(arrival: 72, date: 86_472, missing: .time(60 * Self.second)) == 72)
        #expect(place(arrival: 372, date: 86_772, missing: .unknown) == 372)
    }

    @Test(arguments: [true, false]) func anEncoderThatStoodStillLeavesTimeOut(hasClock: Bool) {
        var test = self
        func date(_ time: Double) -> Double? { hasClock ? time : nil }
        #expect(test.place(arrival: 0, date: date(0)) == 0)
        #expect(test.place(arrival: 6, date: date(6)) == 6)
        #expect(test.place(arrival: 612, date: date(612)) == 612)
        #expect(test.place(arrival: 618, date: date(618)) == 618)
    }

    @Test mutating func anotherTracksTimeCountsForOneWithoutAClock() {
        #expect(place(arrival: 7, shared: 5) == 5)
        #expect(place(arrival: 13, shared: 11.5) == 11)
        #expect(place(arrival: 80, missing: .time(60 * Self.second), shared: 78) == 78)
        #expect(place(arrival: 200, missing: .unknown, shared: 199) == 199)
        // That of another round of numbers doesn't.
        #expect(place(arrival: 300, missing: .unknown, shared: 250) == 300 || place(arrival: 300) > 205)
        #expect(place(arrival: 4000, missing: .unknown, shared: 400) == 4000)
    }

    // MARK: - After a restart

    @Test func afterARestartTheClockGoesOn() {
        var test = self
        test.clock = TimelineClock(end: Self.noon)
        #expect(test.place(arrival: 3600, date: 3580, missing: .time(3580 * Self.second)) == 3580)
    }

    @Test func afterARestartNothingIsInTheFuture() {
        var test = self
        test.clock = TimelineClock(end: Self.noon)
        #expect(test.place(arrival: 20, date: 86_400, missing: .unknown) == 20)
        #expect(test.place(arrival: 26, date: 86_406) == 26)
    }

    @Test func aClockThatIsAheadMayStaySo() {
        var test = self
        test.clock = TimelineClock(end: Self.noon + Self.day)
        #expect(test.place(arrival: 600, date: 87_000, missing: .unknown) == 87_000)
    }

    // MARK: - Room

    @Test mutating func whatCantHaveBeenMissedIsntCounted() {
        #expect(clock.hasRoom(for: .max, of: .max, at: Self.noon))
        _ = place(arrival: 0, date: -3600)
        // An hour late, as ever: 100 s later.
        let wall = Self.noon + 106 * Self.second
        #expect(clock.hasRoom(for: 17, of: 6 * Self.second, at: wall))
        #expect(!clock.hasRoom(for: 300, of: 6 * Self.second, at: wall))
        #expect(!clock.hasRoom(for: 1_700_000_000, of: 6 * Self.second, at: wall))
        #expect(!clock.hasRoom(for: .max, of: 6 * Self.second, at: wall))
    }
}
