import MediaContainers

/// A check of the properties that hold for every input of the demuxers, valid or not.
package enum StreamCheck {
    /// A sink that counts bytes.
    private struct Counter: SampleSink {
        var bytes = 0
        private var ends: UInt8 = 0

        mutating func tracks(_ tracks: [MediaTrack]) {}
        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
            self.bytes += bytes.count
            // Reads both ends to check that the bytes are accessible. Unused reads would be optimized away.
            if let first = bytes.first, let last = bytes.last { ends ^= first ^ last }
        }
    }

    /// Demuxes a transport stream in buffers of the given size, and joins it to itself. Returns a description of the
    /// first property that it violates; nil if there is none.
    package static func problem(ofTransportStream bytes: [UInt8], bufferSize: Int) -> String? {
        var counter = Counter()
        let demuxer = TransportStreamDemuxer()
        let isRead = push(bytes, bufferSize: bufferSize) { (try? demuxer.push($0, into: &counter)) != nil }
        if isRead { try? demuxer.finish(into: &counter) }
        if let problem = problem(of: counter, bytes) { return problem }
        var remuxer = Remuxer(into: Counter(), maximumGap: 60)
        let source = MemorySource(bytes)
        for join in [SegmentJoin.continuous, .discontinuity, .gap] {
            guard (try? remuxer.append(source, join: join)) != nil else { break }
        }
        _ = try? remuxer.finish()
        return nil
    }

    /// Demuxes packed audio in buffers of the given size. Returns a description of the first property that it violates;
    /// nil if there is none.
    package static func problem(ofPackedAudio bytes: [UInt8], bufferSize: Int) -> String? {
        if let tag = bytes.withUnsafeBytes({ try? ID3Tag($0) }), let picture = tag.picture,
            picture.data.count > bytes.count
        {
            return "The picture has \(picture.data.count) bytes, but the input has \(bytes.count)."
        }
        let demuxer = PackedAudioDemuxer()
        var counter = Counter()
        _ = push(bytes, bufferSize: bufferSize) {
            try? demuxer.push($0, into: &counter)
            return true
        }
        try? demuxer.finish(into: &counter)
        return problem(of: counter, bytes)
    }

    private static func problem(of counter: Counter, _ bytes: [UInt8]) -> String? {
        guard counter.bytes > bytes.count else { return nil }
        return "The samples have \(counter.bytes) bytes, but the input has only \(bytes.count)."
    }

    /// Passes the input in buffers of the given size until `body` returns false. Each buffer has its own allocation, so
    /// that AddressSanitizer detects reads past its end. Returns whether the whole input was passed.
    private static func push(
        _ bytes: [UInt8], bufferSize: Int, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        stride(from: 0, to: bytes.count, by: bufferSize).allSatisfy { start in
            Array(bytes[start..<min(bytes.count, start + bufferSize)]).withUnsafeBytes(body)
        }
    }
}
