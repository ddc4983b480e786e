/// What Media3's extractor found in a sample: its tests' dump files.
struct ExtractorDump {
    struct Sample: Equatable {
        /// Microseconds.
        var time: Int64 = 0
        /// Bit 0 says that decoding can start there, bit 26 that nothing depends on it.
        var flags = 0
        var length = 0
        var hash: UInt32 = 0
    }

    struct Track {
        var id = 0
        var mimeType = ""
        var codecs: String?
        var values: [String: Int] = [:]
        /// The hashes of what a decoder gets first.
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

    /// The hash of a sample's bytes: 31 h + the next signed byte.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(1) { $0 &* 31 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    }
}
