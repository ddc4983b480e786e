import MediaContainers

/// A packed audio demuxer after the end of its input, and its output.
struct PackedAudioRecording {
    let demuxer = PackedAudioDemuxer()
    private(set) var output = DemuxerRecording()

    init(_ path: String, bufferSize: Int = .max) throws {
        try self.init(Corpora.bytes(path), bufferSize: bufferSize)
    }

    init(_ bytes: [UInt8], bufferSize: Int = .max) throws {
        for start in stride(from: 0, to: bytes.count, by: bufferSize) {
            try bytes[start...].prefix(bufferSize).withUnsafeBytes { try demuxer.push($0, into: &output) }
        }
        try demuxer.finish(into: &output)
    }
}
