import Testing

@testable import MediaLibrary

struct DownloadMeterTests {
    /// Returns contents with video and audio in segments of 4 s, and all subtitles of the film in a single segment.
    private func contents(seconds: Int, estimate: Int64?) -> AssetContents {
        func part(_ name: String, _ start: Int = 0, _ duration: Int = 0) -> AssetPart {
            AssetPart(
                role: .mediaSegment, name: name, url: "http://h/\(name)", start: Double(start),
                duration: Double(duration))
        }
        var parts = [part("video-1/init.mp4"), part("audio-1/init.mp4"), part("text-1/all.vtt", 0, 60)]
        for start in stride(from: 0, to: seconds, by: 4) {
            parts += [part("audio-1/\(start).m4s", start, 4), part("video-1/\(start).m4s", start, 4)]
        }
        return AssetContents(parts: parts, duration: Double(seconds), estimatedLength: estimate)
    }

    private func meter(_ contents: AssetContents) -> DownloadMeter {
        let meter = DownloadMeter()
        let count = contents.parts.count
        meter.begin(contents, cached: Array(repeating: 0, count: count), isDone: Array(repeating: false, count: count))
        return meter
    }

    private func length(_ meter: DownloadMeter) -> Int64? { meter.progress(now: .zero).length }

    private func finish(_ part: Int, _ bytes: Int64, _ meter: DownloadMeter) {
        meter.finished(part, key: "\(part)", bytes: bytes, now: .zero)
    }

    /// Audio and subtitles complete first, but don't predict the size of the video.
    @Test(arguments: [2_000_000, nil] as [Int64?])
    func estimatesLengthOnceVideoHasProgressed(estimate: Int64?) {
        let meter = meter(contents(seconds: 60, estimate: estimate))
        for (part, bytes) in [(0, 1000), (1, 1000), (2, 3000), (3, 10_000)] as [(Int, Int64)] {
            finish(part, bytes, meter)
            #expect(length(meter) == estimate)
        }
        finish(4, 100_000, meter)
        // Extrapolated from the bytes per second of each playlist, including its initialization section.
        let expected: Int64 = 15 * 101_000 + 15 * 11_000 + 3000
        #expect(length(meter) == expected)
        #expect(!meter.progress(now: .zero).isLengthExact)
    }

    @Test func countsLiveRecordingUntilPartsAreKnown() {
        let meter = DownloadMeter()
        meter.note(.init(bytes: 3000, segments: 3, observedSegments: 4, seconds: 18), now: .zero)
        let progress = meter.progress(now: .zero)
        #expect(progress.bytes == 3000 && progress.length == nil && !progress.isLengthExact)
        #expect(progress.parts == .init(done: 3, total: 4) && progress.secondsReady == 18)
        meter.begin(
            contents(seconds: 4, estimate: nil), cached: [0, 0, 1, 1, 1], isDone: Array(repeating: true, count: 5))
        #expect(meter.progress(now: .zero).parts == .init(done: 5, total: 5))
    }

    @Test func removedPartIsNotComplete() {
        let contents = contents(seconds: 8, estimate: nil)
        let meter = meter(contents)
        for part in contents.parts.indices { finish(part, 600, meter) }
        var progress = meter.progress(now: .zero)
        #expect(progress.parts == .init(done: 7, total: 7) && progress.length == 4200 && progress.isLengthExact)
        // The second audio segment.
        meter.removed(5)
        progress = meter.progress(now: .zero)
        #expect(progress.parts == .init(done: 6, total: 7) && progress.bytes == 3600 && progress.secondsReady == 4)
        // The length of the audio is extrapolated from its initialization section and 4 of 8 seconds.
        #expect(progress.length == 1800 + 2400 + 600 && !progress.isLengthExact)
        finish(5, 600, meter)
        progress = meter.progress(now: .zero)
        #expect(progress.parts == .init(done: 7, total: 7) && progress.length == 4200 && progress.isLengthExact)
        #expect(progress.secondsReady == 8)
    }

    @Test func countsPreviouslyCachedBytes() {
        let contents = contents(seconds: 8, estimate: nil)
        let meter = DownloadMeter()
        meter.begin(
            contents, cached: [0, 0, 1000, 2000, 20_000, 0, 500], isDone: [true, true, true, true, true, false, false])
        #expect(meter.progress(now: .zero).bytes == 23_500)
        let expected: Int64 = 2 * 20_500 + 2 * 2000 + 1000
        #expect(length(meter) == expected)
    }
}
