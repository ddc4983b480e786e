internal import MediaContainers

/// A remux of a movie's stream that begins at a step. Preceding parts are read as a run-up, because the demuxer's state
/// depends on them.
struct MovieRun<Resources: StreamResources & Sendable> {
    /// Whether the run begins at the start of the stream, so that its samples only differ if the stream has changed.
    let isFromStart: Bool
    private let collector: ChunkCollector
    private let table: MovieTable
    private var step: Int
    /// The number of parts of each input before the step.
    private let target: [Int]
    private var remux: StreamRemux<Resources>
    private var remuxer: Remuxer<ChunkCollector>
    private var isFinished = false

    /// Creates a run that begins `runUp` parts of each input before those with the chunk.
    init(
        _ movie: StreamMovie<Resources>, readingFrom chunk: Int, runUp: Int, _ budget: ReaderMemoryBudget,
        _ resources: Resources
    ) {
        table = movie.table
        step = Int(table.chunks[chunk].step)
        target = table.nextParts(before: step, inputCount: movie.plan.inputs.count)
        let nextParts = target.map { max(0, $0 - runUp) }
        isFromStart = nextParts.allSatisfy { $0 == 0 }
        collector = ChunkCollector(table, budget)
        remux = StreamRemux(movie.plan, resources: resources)
        remux.unreadableParts = movie.unreadableParts
        remux.begin(at: nextParts)
        // The codecs are those found by the survey, even if the run begins in an advertisement.
        remuxer = Remuxer(
            into: collector, inputs: nextParts.count, audioLabels: movie.plan.audioLabels, codecs: movie.codecs)
    }

    var peakSize: Int { collector.peakSize }

    /// Returns whether the run has passed a chunk, or reaches it with no more work than a new run.
    func isNear(_ chunk: Int) -> Bool { Int(table.chunks[chunk].step) <= step + 2 * target.count }

    /// Returns the bytes of a chunk; nil if this run began too late to read the chunk, or is already past it. Throws
    /// `inputOutput` if a part can't be read; other codes if the samples differ from those of the movie.
    mutating func chunk(_ index: Int) throws(ContainerError) -> [UInt8]? {
        collector.request(index)
        while true {
            if let bytes = collector.take(index) { return bytes }
            guard !isFinished, collector.mayComplete(index) else { return nil }
            try readPart()
        }
    }

    private mutating func readPart() throws(ContainerError) {
        if collector.isInRunUp, remux.nextParts == target { collector.begin(at: step) }
        if !collector.isInRunUp { step += 1 }
        guard try remux.step(into: &remuxer) == nil else { return }
        isFinished = true
        _ = try remuxer.finish()
    }
}
