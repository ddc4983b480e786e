import MediaContainers
import Testing

/// Compares with the dumps of Media3's extractors: count, time, sync flag, length and hash of every sample.
@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct ExtractorDumpTests {
    struct Sample: Equatable {
        var time: Int64
        var isSync: Bool
        var length: Int
        var hash: UInt32
    }

    struct Collector: SampleSink {
        var tracks: [MediaTrack] = []
        var samples: [[Sample]] = []

        mutating func tracks(_ tracks: [MediaTrack]) {
            self.tracks = tracks
            samples = tracks.map { _ in [] }
        }

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
            let track = tracks[sample.track]
            var content = Array(bytes)
            if track.format?.codec == .avc {
                // The extractor replaces each NAL unit's length by a start code of the same size.
                var position = 0
                while position + 4 <= content.count {
                    let length = content[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
                    content.replaceSubrange(position..<position + 4, with: [0, 0, 0, 1])
                    position += 4 + length
                }
            }
            var hash: UInt32 = 1
            for byte in content { hash = 31 &* hash &+ UInt32(bitPattern: Int32(Int8(bitPattern: byte))) }
            let ticks = sample.pts * 1_000_000
            let scale = Int64(track.timescale)
            let time = ticks >= 0 ? ticks / scale : -((-ticks) / scale)
            samples[sample.track].append(
                Sample(time: time, isSync: sample.isSync, length: sample.size, hash: hash))
        }
    }

    static func parse(_ dump: String) -> [[Sample]] {
        var tracks: [[Sample]] = []
        for line in dump.split(separator: "\n") {
            let words = line.split(whereSeparator: { " ,".contains($0) })
            if line.hasPrefix("track ") { tracks.append([]) }
            guard let last = words.last, !tracks.isEmpty else { continue }
            if line.hasPrefix("  sample "), line.hasSuffix(":") {
                tracks[tracks.count - 1].append(Sample(time: 0, isSync: false, length: 0, hash: 0))
            }
            let track = tracks.count - 1
            guard let index = tracks[track].indices.last else { continue }
            if line.hasPrefix("    time = ") { tracks[track][index].time = Int64(last) ?? -1 }
            if line.hasPrefix("    flags = ") { tracks[track][index].isSync = (Int(last) ?? 0) & 1 != 0 }
            if line.hasPrefix("    data = length "), words.count > 3 {
                tracks[track][index].length = Int(words[3]) ?? -1
                tracks[track][index].hash = UInt32(last, radix: 16) ?? 0
            }
        }
        return tracks
    }

    @Test(arguments: ["sample.mp4", "sample_fragmented.mp4", "sample_fragmented_seekable.mp4"])
    func samplesAreThoseOfTheExtractor(name: String) throws {
        let expected = Self.parse(try Corpora.text("androidx-media/extractordumps/mp4/\(name).0.dump"))
        let reader = try MP4Reader(MemorySource(try Corpora.bytes("androidx-media/media/mp4/\(name)")))
        var collector = Collector()
        try reader.deliver(to: &collector)
        #expect(collector.samples.count == expected.count)
        for (index, (mine, theirs)) in zip(collector.samples, expected).enumerated() {
            #expect(mine.count == theirs.count)
            // An empty edit of whole milliseconds isn't a whole number of ticks; the extractor keeps the milliseconds.
            let tick = Int64(1_000_000 / reader.tracks[index].timescale) + 1
            for (number, (one, other)) in zip(mine, theirs).enumerated() {
                var one = one
                if abs(one.time - other.time) < tick { one.time = other.time }
                guard one != other else { continue }
                Issue.record("track \(index) sample \(number): \(one) instead of \(other)")
                break
            }
        }
    }
}
