import Testing

@testable import MediaLibrary

/// Tests of the times assigned to segments.
struct TimelineClockTests {
    private static let second: Int64 = 1_000_000_000
    private static let day = 86_400 * second
    private static let noon = 1_700_000_000 * second

    private var clock = TimelineClock()

    /// Returns the start of a segment of 6 s, given its arrival and date. All times are in seconds after noon.
    private mutating func place(
        arrival: Double, date: Double? = nil, missing: TimelineClock.Missing? = nil, otherLag: Double? = nil
    ) -> Double {
        func time(_ seconds: Double) -> Int64 { Self.noon + Int64(seconds * 1e9) }
        let start = clock.place(
            .init(
                programDateTime: date.map(time), arrival: time(arrival), duration: 6 * Self.second, missing: missing),
            otherLag: otherLag.map { Int64($0 * 1e9) })
        return Double(start - Self.noon) / 1e9
    }

    /// Returns the clock of a process whose predecessor recorded a segment of 6 s.
    private static func clock(endingAt end: Int64) -> TimelineClock {
        TimelineClock(
            after: RecordedSegment(
                number: 0, start: end - 6 * second, duration: 6 * second, targetDuration: 6, state: .stored))
    }

    @Test mutating func followsPlaylistClock() {
        for number in 0..<10 {
            let date = Double(number) * 6.25
            #expect(place(arrival: Double(number) * 6 + 20, date: date) == date)
        }
    }

    @Test mutating func followsFirstArrivalWithoutClock() {
        #expect(place(arrival: 100) == 100)
        // Later segments follow their predecessor, even if they arrive slightly early or late.
        #expect(place(arrival: 105) == 106)
        #expect(place(arrival: 115) == 112)
        #expect(place(arrival: 118) == 118)
    }

    @Test mutating func neverMovesBack() {
        #expect(place(arrival: 0, date: 0) == 0)
        #expect(place(arrival: 6, date: 4) == 4)
        #expect(place(arrival: 12, date: 2) == 7)
        #expect(place(arrival: 18, date: 20) == 20)
    }

    @Test(arguments: [1.0, -1]) mutating func ignoresClockJump(sign: Double) {
        let day = 86_400 * sign
        #expect(place(arrival: 0, date: 0) == 0)
        #expect(place(arrival: 6, date: 6) == 6)
        // The clock stays at the new time.
        for number in 2..<10 {
            let time = Double(number) * 6
            #expect(place(arrival: time, date: time + day) == time)
        }
        // The clock returns to the old time.
        for number in 10..<12 {
            let time = Double(number) * 6
            #expect(place(arrival: time, date: time) == time)
        }
        // After that, dates determine the duration of a loss again.
        #expect(place(arrival: 132, date: 132, missing: .time(60 * Self.second)) == 132)
    }

    @Test mutating func measuresLossDuringClockJump() {
        #expect(place(arrival: 0, date: 0) == 0)
        #expect(place(arrival: 6, date: 86_406) == 6)
        #expect(place(arrival: 72, date: 86_472, missing: .time(60 * Self.second)) == 72)
        #expect(place(arrival: 172, date: 86_572, missing: .unknown) == 172)
    }

    @Test(arguments: [true, false]) mutating func skipsTimeWhenEncoderPauses(hasClock: Bool) {
        func date(_ time: Double) -> Double? { hasClock ? time : nil }
        #expect(place(arrival: 0, date: date(0)) == 0)
        #expect(place(arrival: 6, date: date(6)) == 6)
        #expect(place(arrival: 612, date: date(612)) == 612)
        #expect(place(arrival: 618, date: date(618)) == 618)
    }

    @Test mutating func usesLagOfAnotherTrackWithoutClock() {
        #expect(place(arrival: 7, otherLag: 2) == 5)
        #expect(place(arrival: 13.5, otherLag: 2) == 11)
        #expect(place(arrival: 80, missing: .time(60 * Self.second), otherLag: 3) == 77)
        #expect(place(arrival: 200, missing: .unknown, otherLag: 3) == 197)
    }

    // MARK: - Wrong durations

    /// Durations rounded up by 4 % would add up to an hour per day.
    @Test(arguments: [5.75, 1.5]) mutating func durationsDoNotAccumulate(spacing: Double) {
        for number in 0..<15_000 {
            let date = Double(number) * spacing
            #expect(place(arrival: date + 20, date: date) == date)
        }
    }

    @Test mutating func durationsDoNotAccumulateWithoutClock() {
        for number in 0..<15_000 {
            let arrival = Double(number) * 5.76
            #expect(abs(place(arrival: arrival) - arrival) <= 24.001)
        }
    }

    /// The recorder's own clock is set back by an hour, although no duration was too long.
    @Test mutating func ignoresStepBackOfRecorderClock() {
        for number in 0..<100 { #expect(place(arrival: Double(number) * 6) == Double(number) * 6) }
        for number in 100..<200 { #expect(place(arrival: Double(number) * 6 - 3600) == Double(number) * 6) }
    }

    /// Each segment keeps half its duration, so catching up takes twice as long as the step.
    @Test mutating func reachesClockAfterSmallStepBack() {
        for number in 0..<10 {
            #expect(place(arrival: Double(number) * 6, date: Double(number) * 6) == Double(number) * 6)
        }
        var last = 54.0
        for number in 10..<30 {
            let date = Double(number) * 6 - 30
            let start = place(arrival: Double(number) * 6, date: date)
            #expect(start == (date > last ? date : last + 3))
            last = start
        }
        #expect(last == 29 * 6 - 30)
    }

    /// A clock that was three hours behind is followed when it is corrected, but not when it becomes wrong.
    @Test mutating func followsCorrectedClock() {
        for number in 0..<10 {
            #expect(place(arrival: 10_820 + Double(number) * 6, date: Double(number) * 6) == Double(number) * 6)
        }
        #expect(place(arrival: 10_880, date: 10_860) == 10_860)
        #expect(place(arrival: 10_886, date: 66) == 10_866)
        #expect(place(arrival: 10_892, date: 10_872) == 10_872)
    }

    /// A clock that is three hours behind is set back permanently by more than a minute.
    @Test(arguments: [-90.0, -3600], [nil, 25])
    func followsClockWithSteadyPaceAfterStepBack(step: Double, restart: Int?) {
        var test = self
        var last = -6.0
        func place(_ number: Int) -> (start: Double, date: Double) {
            let time = Double(number) * 6
            let date = time + (number < 10 ? 0 : step)
            return (test.place(arrival: time + 10_800, date: date), date)
        }
        // The new time is ignored for three minutes, which start again in the next process.
        let first = (restart ?? 10) + 30
        let end = 2 * Int(abs(step)) / 6 + first + 10
        for number in 0..<end {
            if number == restart { test.clock = Self.clock(endingAt: Self.noon + Int64((last + 6) * 1e9)) }
            let (start, date) = place(number)
            #expect(start > last)
            if number < first {
                #expect(start == Double(number) * 6, "\(number)")
            } else {
                // After that, each segment keeps half its duration until the clock is reached.
                #expect(start == max(date, last + 3), "\(number)")
            }
            last = start
        }
        #expect(last == Double(end - 1) * 6 + step)
    }

    @Test(arguments: [300.0, 86_400]) mutating func followsClockWithSteadyPaceAfterStepForward(step: Double) {
        for number in 0..<60 {
            let time = Double(number) * 6
            let start = place(arrival: time + 20, date: time + (number < 10 ? 0 : step))
            #expect(start == (number < 40 ? time : time + step), "\(number)")
        }
    }

    /// For minutes, a programme is interrupted by media with dates far in the past, at the pace of the stream.
    @Test(arguments: [-2.0, -4000]) mutating func ignoresDatesFarInPast(days: Double) {
        for number in 0..<200 {
            let time = Double(number) * 6
            let date = (10..<150).contains(number) ? time + days * 86_400 : time
            #expect(place(arrival: time, date: date) == time)
        }
    }

    /// A clock that jumps repeatedly doesn't have a steady pace.
    @Test mutating func ignoresRepeatedClockJumps() {
        for number in 0..<200 {
            let time = Double(number) * 6
            #expect(place(arrival: time, date: number < 10 ? time : time - 300 - Double(number / 20) * 100) == time)
        }
    }

    /// A clock that was two hours ahead is corrected, and reached gradually, even by a process that starts in between.
    @Test(arguments: [nil, 20, 900]) mutating func reachesCorrectedClockThatWasAhead(restart: Int?) {
        for number in 0..<10 {
            let time = Double(number) * 6
            #expect(place(arrival: time, date: time + 7200) == time + 7200)
        }
        var last = 54 + 7200.0
        for number in 10..<2600 {
            let time = Double(number) * 6
            if number == restart { clock = Self.clock(endingAt: Self.noon + Int64((last + 6) * 1e9)) }
            let start = place(arrival: time, date: time)
            #expect(start > last)
            last = start
        }
        #expect(last == 2599 * 6)
        #expect(place(arrival: 2600 * 6, date: 2600 * 6) == 2600 * 6)
    }

    /// The clock is correct for only a minute, which must not shorten segments.
    @Test mutating func ignoresBrieflyCorrectClock() {
        for number in 0..<30 {
            let time = Double(number) * 6
            let date = (10..<20).contains(number) ? time : time + 7200
            #expect(place(arrival: time, date: date) == time + 7200)
        }
    }

    // MARK: - After a restart

    @Test mutating func continuesClockAfterRestart() {
        clock = Self.clock(endingAt: Self.noon)
        #expect(place(arrival: 3600, date: 3580, missing: .time(3580 * Self.second)) == 3580)
    }

    @Test mutating func placesNoSegmentInFutureAfterRestart() {
        clock = Self.clock(endingAt: Self.noon)
        #expect(place(arrival: 20, date: 86_400, missing: .unknown) == 20)
        #expect(place(arrival: 26, date: 86_406) == 26)
    }

    @Test mutating func keepsClockThatIsAhead() {
        clock = Self.clock(endingAt: Self.noon + Self.day)
        #expect(place(arrival: 600, date: 87_000, missing: .unknown) == 87_000)
    }

    // MARK: - Missed segments

    @Test mutating func limitsMissedSegmentsToElapsedTime() {
        #expect(clock.hasSpace(for: .max, of: .max, at: Self.noon))
        _ = place(arrival: 0, date: -3600)
        // The segment ended 100 s ago, and the stream's clock is still an hour behind.
        let wall = Self.noon + 106 * Self.second
        #expect(clock.hasSpace(for: 17, of: 6 * Self.second, at: wall))
        #expect(!clock.hasSpace(for: 300, of: 6 * Self.second, at: wall))
        #expect(!clock.hasSpace(for: 1_700_000_000, of: 6 * Self.second, at: wall))
        #expect(!clock.hasSpace(for: .max, of: 6 * Self.second, at: wall))
    }
}
