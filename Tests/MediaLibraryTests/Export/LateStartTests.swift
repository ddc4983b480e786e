import MediaContainers
import MediaLibrary
import TestSupport
import Testing

/// Tests of reading clips without the parts before them.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct LateStartTests {
    /// A sink that stores the samples of a clip, in the order in which they are delivered.
    private struct Recording: SampleSink {
        var samples: [MediaSample] = []

        mutating func tracks(_: [MediaTrack]) {}

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) { samples.append(sample) }
    }

    /// Returns a long stream with a single clock: a repeated clip, divided before key pictures into segments of equal
    /// nominal duration.
    private static func stream(copies: Int) throws -> (files: [String: [UInt8]], segments: Int) {
        var remuxer = Remuxer(into: TransportStreamWriter(MemorySink()))
        for _ in 0..<copies { try remuxer.append(MemorySource(PublicClip.bytes ?? []), join: .discontinuity) }
        var writer = try remuxer.finish()
        try writer.finish()
        let bytes = writer.sink.contents
        let length = 188
        // Tables precede the packets of each key picture.
        let cuts = stride(from: 0, to: bytes.count - 3 * length, by: length).filter { place in
            let picture = place + 2 * length
            return bytes[place + 1] & 0x1F == 0 && bytes[place + 2] == 0 && bytes[picture + 2] == 0
                && bytes[picture + 1] & 0x1F == 1 && bytes[picture + 3] & 0x20 != 0 && bytes[picture + 5] & 0x40 != 0
        }
        var files: [String: [UInt8]] = [:]
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n"
        for (index, cut) in cuts.enumerated() {
            let end = index + 1 < cuts.count ? cuts[index + 1] : bytes.count
            files["http://h/\(index).ts"] = Array(bytes[cut..<end])
            text += "#EXTINF:\(Double(copies) * 9 / Double(cuts.count)),\n\(index).ts\n"
        }
        files["http://h/index.m3u8"] = Array((text + "#EXT-X-ENDLIST\n").utf8)
        return (files, cuts.count)
    }

    private func clip(
        _ files: [String: [UInt8]], from time: Double, skips: Bool
    ) throws -> (samples: [MediaSample], requests: [String]) {
        let resources = MemoryResources(files)
        var remux = try resources.remux()
        if skips { remux.start = time }
        var cut = try remux.run(into: TimeCut(Recording(), from: time, to: nil))
        try cut.finish()
        return (cut.output.samples, resources.requests)
    }

    @Test(arguments: [20.0, 40.5, 61.25])
    func skipsEarlierPartsWithoutChangingClip(time: Double) throws {
        let (files, count) = try Self.stream(copies: 8)
        try #require(count >= 8)
        let whole = try clip(files, from: time, skips: false)
        let late = try clip(files, from: time, skips: true)
        #expect(late.samples == whole.samples)
        let opened = Set(late.requests).subtracting(["http://h/index.m3u8", "http://h/0.ts"])
        let needed = Double(count) * (1 - time / 72)
        #expect(!opened.isEmpty && Double(opened.count) < needed + 4, "\(opened.count) of \(count)")
        #expect(Set(whole.requests).count == count + 1)
    }

    @Test func skipsNothingBeforeJoinedClocks() throws {
        var files = try Self.stream(copies: 4).files
        let text = String(decoding: try #require(files["http://h/index.m3u8"]), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let joined = lines[..<4] + ["#EXT-X-DISCONTINUITY"] + lines[4...]
        files["http://h/index.m3u8"] = Array(joined.joined(separator: "\n").utf8)
        let whole = try clip(files, from: 25, skips: false)
        let late = try clip(files, from: 25, skips: true)
        #expect(late.samples == whole.samples)
        #expect(Set(late.requests) == Set(whole.requests))
    }
}
