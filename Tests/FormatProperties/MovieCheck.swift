package import MediaContainers

/// A check of the properties that hold for every input of the MP4 reader and of the remuxer, valid or not.
package enum MovieCheck {
    private struct DiscardingSink: SampleSink {
        mutating func tracks(_: [MediaTrack]) {}
        mutating func sample(_: MediaSample, bytes _: UnsafeRawBufferPointer) {}
    }

    /// Passes a file to all readers, with its own initialization section and with `initialization`. Returns a
    /// description of the first property that it violates; nil if there is none.
    package static func problem(_ bytes: [UInt8], initialization: Movie? = nil) -> String? {
        let source = MemorySource(bytes)
        _ = try? BoxTree(source)
        if let problem = rearrangementProblem(source) { return problem }
        for movie in initialization.map({ [nil, $0] }) ?? [nil] {
            guard let reader = try? MP4Reader(source, initialization: movie) else { continue }
            var sink = BoundedSink(DiscardingSink(), bytes: .max)
            try? reader.deliver(to: &sink)
        }
        if let reader = try? MP4Reader(source), reader.movie.tracks.allSatisfy({ $0.table.sampleCount < 10_000 }) {
            _ = try? ProgressiveRemux(reader)
        }
        return nil
    }

    /// Moves the index of a file to the front, and reads the result. Returns a description of the first property that
    /// it violates; nil if there is none.
    private static func rearrangementProblem(_ source: MemorySource) -> String? {
        guard let view = try? FastStart.view(of: source) else { return nil }
        var sink = MemorySink()
        guard (try? view.write(to: &sink, bufferSize: 1 << 16)) != nil else { return "The view ends early." }
        guard Int64(sink.contents.count) == view.length else { return "The view and its content differ in length." }
        guard let again = try? FastStart.layout(of: MemorySource(sink.contents)) else {
            return "The rearranged file can't be read."
        }
        return again.isIdentity(ofLength: view.length) ? nil : "The rearranged file isn't in its final order."
    }

    /// Remuxes an input into an MP4 file, which must be readable, and a transport stream, which must consist of whole
    /// packets. Returns a description of the first fault; nil if there is none.
    package static func remuxProblem(_ bytes: [UInt8]) -> String? {
        let source = MemorySource(bytes)
        let file = MemoryFile()
        if var writer = remux(source, into: MovieFileWriter(file)), (try? writer.finish()) != nil,
            let problem = readingProblem(file.contents)
        {
            return problem
        }
        if var writer = remux(source, into: TransportStreamWriter(MemorySink())), (try? writer.finish()) != nil,
            writer.sink.contents.count % 188 != 0
        {
            return "The written transport stream has an incomplete packet."
        }
        return nil
    }

    /// Passes an input and its repetition after a discontinuity to a writer. Returns nil if the input was rejected.
    private static func remux<Writer: SampleSink>(_ source: MemorySource, into writer: Writer) -> Writer? {
        var remuxer = Remuxer(into: BoundedSink(writer), maximumGap: 60)
        for join in [SegmentJoin.continuous, .discontinuity] {
            guard (try? remuxer.append(source, join: join)) != nil else { return nil }
        }
        return (try? remuxer.finish())?.output
    }

    /// Returns a description of the error if a written file can't be read to its end; nil if it can. A further remux
    /// may fail: if the file has negative composition offsets, the reader makes decoding times earlier, and the offsets
    /// from these may exceed 32 bits.
    package static func readingProblem(_ file: [UInt8]) -> String? {
        do {
            let source = MemorySource(file)
            let reader = try MP4Reader(source)
            var sink = DiscardingSink()
            try reader.deliver(to: &sink)
            _ = try FastStart.view(of: source)
            _ = try? ProgressiveRemux(reader)
        } catch {
            return "The written file can't be read: \(error)"
        }
        return nil
    }
}
