import MediaContainers

/// The output of a Media3 extractor for a sample file, as recorded in the dump files of Media3's tests.
struct ExtractorDump {
    struct Sample: Equatable {
        /// The time in microseconds.
        var time: Int64 = 0
        /// Bit 0 marks a sync sample. Bit 26 marks a sample on which no other sample depends.
        var flags = 0
        var length = 0
        var hash: UInt32 = 0
    }

    struct Track {
        var id = 0
        var mimeType = ""
        var codecs: String?
        var values: [String: Int] = [:]
        /// The hashes of the decoder's initialization data.
        var initialization: [UInt32] = []
        var samples: [Sample] = []
    }

    var tracks: [Track] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("track "), let id = Int(line.dropFirst(6).dropLast()) {
                tracks.append(Track(id: id))
                continue
            }
            guard !tracks.isEmpty else { continue }
            readLine(String(line), into: &tracks[tracks.count - 1])
        }
    }

    private func readLine(_ line: String, into track: inout Track) {
        if line.hasPrefix("sample "), line.hasSuffix(":") {
            track.samples.append(Sample())
        } else if line.hasPrefix("data = length ") {
            let fields = line.dropFirst(14).split(separator: ", hash ")
            let hash = UInt32(fields[1], radix: 16) ?? 0
            if track.samples.isEmpty {
                track.initialization.append(hash)
            } else {
                track.samples[track.samples.count - 1].length = Int(fields[0]) ?? -1
                track.samples[track.samples.count - 1].hash = hash
            }
        } else if let equals = line.firstRange(of: " = ") {
            let name = String(line[..<equals.lowerBound])
            let value = String(line[equals.upperBound...])
            switch name {
            case "time": track.samples[track.samples.count - 1].time = Int64(value) ?? -1
            case "flags": track.samples[track.samples.count - 1].flags = Int(value) ?? -1
            case "sampleMimeType": track.mimeType = value
            case "codecs": track.codecs = value
            default: track.values[name] = Int(value)
            }
        }
    }

    /// Returns the hash h of bytes as in Java's `Arrays.hashCode`: initially 1, then 31 h + the next signed byte.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(1) { $0 &* 31 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    }
}

/// The samples that this library reads from a Media3 sample file, converted to the form of Media3's extractors.
struct ExtractedSample {
    let tracks: [MediaTrack]
    private(set) var samples: [[ExtractorDump.Sample]] = []
    /// The accepted difference between times in microseconds, because Media3 rounds them.
    let tolerance: Int64

    /// Reads a sample file of the corpora.
    init(_ path: String) throws {
        let bytes = try Corpora.bytes(path)
        if path.hasSuffix(".mp4") {
            let recording = try DemuxerRecording(movie: MemorySource(bytes))
            tracks = recording.tracks
            // Media3 doesn't round the duration of an empty edit to ticks of the track.
            tolerance = tracks.map { Int64(1_000_000 / $0.timescale) + 1 }.max() ?? 0
            collect(recording.samples)
        } else if path.hasSuffix(".ts") {
            let recording = try DemuxerRecording(bytes)
            tracks = recording.tracks
            // Between timestamps, Media3 adds whole microseconds; a 90 kHz tick is 11 µs.
            tolerance = 11
            collect(recording.samples, from: recording.samples.map(\.sample.dts).min() ?? 0)
        } else {
            let recording = try PackedAudioRecording(bytes).output
            tracks = recording.tracks
            // At 44,100 Hz, Media3 uses 23,219 µs per frame of 1,024 samples. The exact value is 23,219.95 µs.
            tolerance = 144
            collect(recording.samples)
        }
    }

    private mutating func collect(_ all: [(sample: MediaSample, bytes: [UInt8])], from start: Int64 = 0) {
        samples = tracks.map { _ in [] }
        for (sample, bytes) in all {
            let track = tracks[sample.track]
            let ticks = (sample.pts - start) * 1_000_000
            let scale = Int64(track.timescale)
            // Media3 assigns a packet's timestamp to the AC-3 frame that ends in the packet. By ISO/IEC 13818-1, 2.7.5,
            // it belongs to the frame that begins in it, which is one frame later.
            let delay: Int64 = track.format?.codec == .ac3 ? 32_000 : 0
            let content = Self.content(bytes, track)
            samples[sample.track].append(
                ExtractorDump.Sample(
                    time: (ticks >= 0 ? ticks / scale : -(-ticks / scale)) + delay, flags: sample.isSync ? 1 : 0,
                    length: content.count, hash: ExtractorDump.hash(content)))
        }
    }

    /// Removes ADTS headers and replaces lengths with start codes, as Media3 does.
    private static func content(_ bytes: [UInt8], _ track: MediaTrack) -> [UInt8] {
        if track.format?.framing == .adts { return Array(bytes.dropFirst(7)) }
        guard track.format?.codec == .avc, track.format?.framing == .stored else { return bytes }
        var content = bytes
        var position = 0
        while position + 4 <= content.count {
            let length = content[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            content.replaceSubrange(position..<position + 4, with: [0, 0, 0, 1])
            position += 4 + length
        }
        return content
    }
}
