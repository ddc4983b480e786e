import Foundation
import MediaContainers
import MediaLibrary
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct StreamRemuxTests {
    /// A sink that counts samples by track.
    private struct Counter: SampleSink {
        var counts: [Int] = []
        var bytes = 0

        mutating func tracks(_ tracks: [MediaTrack]) {
            counts += [Int](repeating: 0, count: tracks.count - counts.count)
        }

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
            counts[sample.track] += 1
            self.bytes += bytes.count
        }
    }

    private func playlist(_ lines: String...) -> [UInt8] {
        Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n".utf8)
    }

    private func remux(
        _ files: [String: [UInt8]], leavesGaps: Bool = false
    ) throws -> (counter: Counter, missing: [StreamPart], requests: [String]) {
        let resources = MemoryResources(
            Dictionary(uniqueKeysWithValues: files.map { ("http://h/\($0.key)", $0.value) }))
        var remux = try resources.remux()
        remux.missingParts = leavesGaps ? .leaveGaps : .fail
        let counter = try remux.run(into: Counter())
        return (counter, remux.missing, resources.requests)
    }

    /// A segment with sample encryption becomes a gap. The rest of the output is unaffected.
    @Test func reportsUndecryptableSegment() throws {
        let clip = try #require(PublicClip.bytes)
        let resources = MemoryResources([
            "http://h/index.m3u8": playlist(
                "#EXTINF:9,", "1.ts", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"key\"",
                "#EXTINF:9,", "2.ts", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:9,", "3.ts"),
            "http://h/1.ts": clip, "http://h/2.ts": clip, "http://h/3.ts": clip,
        ])
        var remux = try resources.remux()
        let counter = try remux.run(into: Counter())
        #expect(counter.counts == [268, 738])
        #expect(remux.damaged.map(\.part.url) == ["http://h/2.ts"])
        #expect(remux.damaged.first?.reason.contains("SAMPLE-AES") == true)
        #expect(resources.requests.allSatisfy { !$0.hasSuffix("2.ts") && !$0.hasSuffix("key") })
    }

    @Test func decryptsStream() throws {
        let clip = try #require(PublicClip.bytes)
        let clear = try remux(["index.m3u8": playlist("#EXTINF:9,", "1.ts"), "1.ts": clip])
        #expect(clear.counter.counts == [134, 369])
        let key = (0..<16).map { UInt8($0) }
        // The second segment's initialization vector is its media sequence number.
        let vector = [UInt8](repeating: 0, count: 15) + [8]
        let encrypted = encryptAES(clip, key: key, vector: vector)
        let result = try remux([
            "index.m3u8": playlist(
                "#EXT-X-MEDIA-SEQUENCE:7", "#EXTINF:9,", "1.ts", "#EXT-X-DISCONTINUITY",
                "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"", "#EXTINF:9,", "2.ts"),
            "1.ts": clip, "2.ts": encrypted, "key": key,
        ])
        #expect(result.counter.counts == [268, 738])
        #expect(result.counter.bytes == clear.counter.bytes * 2)
        #expect(result.requests.count { $0.hasSuffix("/key") } == 1)
    }

    /// Some playlists embed their keys (RFC 2397).
    @Test(arguments: [
        "data:text/plain;base64,AAECAwQFBgcICQoLDA0ODw==",
        "data:,%00%01%02%03%04%05%06%07%08%09%0a%0B%0c%0D%0E%0F",
        "DATA:application/octet-stream;base64,AAECAwQFBgcICQoLDA0ODw%3D%3D",
    ])
    func readsKeyFromDataURL(url: String) throws {
        let clip = try #require(PublicClip.bytes)
        let key = (0..<16).map { UInt8($0) }
        let vector = [UInt8](repeating: 0, count: 16)
        let encrypted = encryptAES(clip, key: key, vector: vector)
        let result = try remux([
            "index.m3u8": playlist("#EXT-X-KEY:METHOD=AES-128,URI=\"\(url)\"", "#EXTINF:9,", "1.ts"), "1.ts": encrypted,
        ])
        #expect(result.counter.counts == [134, 369])
    }

    @Test func reportsMissingSegment() throws {
        let clip = try #require(PublicClip.bytes)
        let files = [
            "index.m3u8": playlist("#EXTINF:9,", "1.ts", "#EXTINF:9,", "gone.ts", "#EXTINF:9,", "1.ts"), "1.ts": clip,
        ]
        let error = #expect(throws: ContainerError.self) { try remux(files) }
        #expect(error?.summary.hasPrefix("gone.ts: ") == true)
        let result = try remux(files, leavesGaps: true)
        #expect(result.missing.map(\.url) == ["http://h/gone.ts"])
        #expect(result.missing.first?.start == 9)
    }

    private func remuxed(_ stream: SampleStream) throws -> StreamRemux<MemoryResources> {
        let (plan, resources) = try stream.open()
        var remux = StreamRemux(plan, resources: resources)
        _ = try remux.run(into: Counter())
        return remux
    }

    @Test(arguments: [SampleStream.damaged, .damagedWithoutDurations])
    func reportsDamagedSegments(stream: SampleStream) throws {
        let remux = try remuxed(stream)
        #expect(remux.missing.isEmpty)
        #expect(remux.damaged.map(\.part.url) == ["http://h/2.ts", "http://h/5.ts", "http://h/7.ts"])
        for (damage, words) in zip(remux.damaged, ["text", "scrambled", "padding"]) {
            #expect(damage.reason.contains(words), "\(damage.reason)")
        }
    }

    /// The segment is complete (nil), or the origin has truncated it, between two packets (0) or within a packet (77).
    @Test(arguments: [nil, 0, 77]) func reportsTruncatedSegment(_ excess: Int?) throws {
        let clip = try #require(PublicClip.bytes)
        let length = clip.count / 188 / 4 * 188
        var files: [String: [UInt8]] = [:]
        for index in 0..<4 {
            let end = index == 3 ? clip.count : (index + 1) * length
            files["http://h/\(index).ts"] = Array(clip[index * length..<end])
        }
        if let excess { files["http://h/1.ts"]?.removeSubrange(length / 2 / 188 * 188 + excess..<length) }
        files["http://h/index.m3u8"] = playlist(
            "#EXTINF:2,", "0.ts", "#EXTINF:2,", "1.ts", "#EXTINF:2,", "2.ts", "#EXTINF:2,", "3.ts")
        var remux = try MemoryResources(files).remux()
        _ = try remux.run(into: Counter())
        #expect(remux.damaged.map(\.part.url) == (excess == nil ? [] : ["http://h/1.ts"]))
        #expect(remux.damaged.allSatisfy { $0.reason.contains("too early") })
    }

    @Test func losesOnlyDamagedSegments() throws {
        let clip = try #require(PublicClip.bytes)
        let whole = try remux(["index.m3u8": playlist("#EXTINF:9,", "1.ts"), "1.ts": clip])
        let (plan, resources) = try SampleStream.damaged.open()
        var remux = StreamRemux(plan, resources: resources)
        let times = try remux.run(into: Pause())
        // Of twelve segments, two and a half are lost, as well as the pictures before the next key picture.
        #expect(times.times.count > whole.counter.counts[0] / 2)
        let files = ["http://h/index.m3u8": playlist("#EXTINF:9,", "1.ts"), "http://h/1.ts": clip]
        var other = try MemoryResources(files).remux()
        let expected = try other.run(into: Pause()).times
        #expect(Set(times.times).isSubset(of: expected))
        #expect(times.times.last == expected.last)
    }

    @Test func reportsAdvertisementWithOtherCodec() throws {
        let remux = try remuxed(.advertisements)
        let name = try #require(remux.plan.inputs[0].first?.url)
        #expect(remux.damaged.map(\.part.url) == [name, name])
        #expect(remux.damaged.allSatisfy { $0.reason.contains("the audio changes from") })
    }

    @Test func throwsIfAllSegmentsAreDamaged() throws {
        let page = Array("<html></html>".utf8)
        let error = #expect(throws: ContainerError.self) {
            try remux(["index.m3u8": playlist("#EXTINF:9,", "1.ts", "#EXTINF:9,", "2.ts"), "1.ts": page, "2.ts": page])
        }
        #expect(error?.code == .notThisFormat && error?.summary.hasPrefix("1.ts: ") == true)
    }

    /// An output that fails after a number of samples, like a full disk.
    private struct FullDisk: SampleSink {
        var room = 100

        mutating func tracks(_: [MediaTrack]) {}

        mutating func sample(_: MediaSample, bytes _: UnsafeRawBufferPointer) throws(ContainerError) {
            room -= 1
            guard room >= 0 else { throw ContainerError(.inputOutput, "the disk is full") }
        }
    }

    @Test(arguments: [StreamRemux<MemoryResources>.MissingParts.fail, .leaveGaps])
    func failingOutputIsNotReportedAsMissingSegment(policy: StreamRemux<MemoryResources>.MissingParts) throws {
        let (plan, resources) = try SampleStream.damaged.open()
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = policy
        let error = #expect(throws: ContainerError.self) { try remux.run(into: FullDisk()) }
        #expect(error?.summary.hasSuffix("the disk is full") == true)
        #expect(remux.missing.isEmpty)
    }

    /// A sink that records the decoding times of the first track.
    private struct Pause: SampleSink {
        var timescale: Int32 = 1
        var times: [Int64] = []

        mutating func tracks(_ tracks: [MediaTrack]) { timescale = tracks[0].timescale }

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
            if sample.track == 0 { times.append(sample.dts) }
        }

        /// The longest pause between samples, in seconds.
        var longest: Double {
            Double(zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? 0) / Double(timescale)
        }
    }

    /// The duration of the missing segment can't be determined from the clock before or after it.
    @Test(arguments: ["#EXT-X-GAP\ngone.ts", "gone.ts"], ["#EXT-X-DISCONTINUITY\n", ""])
    func keepsGapBetweenClocks(segment: String, join: String) throws {
        let text = playlist(
            "#EXTINF:9,", "1.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:5,", segment, "\(join)#EXTINF:9,", "1.ts")
        let clip = try #require(PublicClip.bytes)
        var remux = try MemoryResources(["http://h/index.m3u8": text, "http://h/1.ts": clip]).remux()
        remux.missingParts = .leaveGaps
        let pause = try remux.run(into: Pause())
        #expect(abs(pause.longest - 5) < 0.2)
    }

    /// Packed audio without timestamps continues at the end of the previous segment.
    @Test(arguments: ["#EXT-X-GAP\ngone.aac", "gone.aac"])
    func keepsGapInPackedAudio(segment: String) throws {
        let frame = Self.frame
        let sound = (0..<94).flatMap { _ in frame }
        let text = playlist("#EXTINF:2.005,", "1.aac", "#EXTINF:5,", segment, "#EXTINF:2.005,", "1.aac")
        var remux = try MemoryResources(["http://h/index.m3u8": text, "http://h/1.aac": sound]).remux()
        remux.missingParts = .leaveGaps
        let pause = try remux.run(into: Pause())
        #expect(pause.times.count == 188)
        #expect(abs(pause.longest - 5) < 0.1)
    }

    /// An AAC LC frame in ADTS with 48 kHz stereo.
    private static var frame: [UInt8] {
        let length = 67
        return [
            0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 255), UInt8(length & 7) << 5 | 0x1F, 0xFC,
        ] + [UInt8](repeating: 0x21, count: length - 7)
    }
}
