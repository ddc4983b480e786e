/// A remuxer's output, with whether it failed: its errors aren't damage of a segment.
struct RemuxOutput<Sink: SampleSink>: SampleSink {
    var sink: Sink
    /// Whether a call of the sink threw.
    private(set) var hasFailed = false

    init(_ sink: Sink) { self.sink = sink }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.tracks(tracks)
        } catch {
            hasFailed = true
            throw error
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.sample(sample, bytes: bytes)
        } catch {
            hasFailed = true
            throw error
        }
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.diagnostic(diagnostic)
        } catch {
            hasFailed = true
            throw error
        }
    }
}
