import MediaContainers
import Testing

struct TransportStreamDurationTests {
    /// Creates a stream with audio and video at 25 frames per second.
    private func stream(from start: Int64, frames: Int) -> [UInt8] {
        var builder = TransportStreamBuilder()
        for second in 0..<Int64(frames / 25) {
            builder.tables()
            builder.play(from: start + second * 90_000, frames: 25)
        }
        return builder.bytes
    }

    @Test func estimatesDurationFromBothEnds() throws {
        // The clock wraps inside the stream.
        let source = CountingSource(MemorySource(stream(from: (1 << 33) - 900_000, frames: 5000)))
        try #require(source.length > 2 << 20)
        let seconds = try #require(try TransportStreamDuration.estimate(source))
        #expect(abs(seconds - 200) < 0.5)
        #expect(source.bytesRead == 1 << 20)
    }

    @Test func limitsEstimateAcrossClockJump() throws {
        let first = stream(from: 0, frames: 2500)
        let seconds = try #require(
            try TransportStreamDuration.estimate(MemorySource(first + stream(from: 1 << 31, frames: 2500))))
        #expect(seconds < 800)
    }

    @Test func returnsNilForClockThatGoesBack() throws {
        let later = stream(from: 90_000_000, frames: 2500)
        #expect(try TransportStreamDuration.estimate(MemorySource(later + stream(from: 0, frames: 2500))) == nil)
    }

    @Test func returnsNilForShortStream() throws {
        #expect(try TransportStreamDuration.estimate(MemorySource(stream(from: 0, frames: 25))) == nil)
    }
}
