internal import MediaContainers

/// A remux of a movie's stream that was begun at one of its steps, with some parts before it as a run-up: what a demuxer
/// holds when a part begins comes from the parts before.
struct MovieRun<Resources: StreamResources & Sendable> {
    /// Whether it began at the stream's beginning, so that it can't differ but by what is read.
    let isFromStart: Bool
    private let collector: ChunkCollector
    private let table: MovieTable
    /// The step that comes next.
    private var step: Int
    /// How many parts of each input come before the step.
    private let target: [Int]
    private var remux: StreamRemux<Resources>
    private var remuxer: Remuxer<ChunkCollector>
    private var isFinished = false

    /// A run.
    ///
    /// - Parameters:
    ///   - movie: what is made again.
    ///   - chunk: the first that is wanted.
    ///   - runUp: how many parts of each input are read before those that it's in.
    ///   - holding: how many bytes may wait for others before them.
    ///   - resources: where the stream is read.
    init(
        _ movie: StreamMovie<Resources>, toGive chunk: Int, runUp: Int, _ holding: SharedHolding,
        _ resources: Resources
    ) {
        table = movie.table
        step = Int(table.chunks[chunk].step)
        target = table.places(before: step, inputCount: movie.plan.inputs.count)
        let places = target.map { max(0, $0 - runUp) }
        isFromStart = places.allSatisfy { $0 == 0 }
        collector = ChunkCollector(table, holding)
        remux = StreamRemux(movie.plan, resources: resources)
        remux.absent = movie.absent
        remux.begin(at: places)
        // A run that begins in an advertisement carries over what the survey did.
        remuxer = Remuxer(
            into: collector, inputs: places.count, sounds: movie.plan.sounds, codecs: movie.codecs)
    }

    /// The most bytes of media that were held at any time.
    var mostHeld: Int { collector.mostHeld }

    /// Whether a chunk is so near that going on there is no more work than beginning anew.
    func isNear(_ chunk: Int) -> Bool {
        Int(table.chunks[chunk].step) <= step + 2 * target.count
    }

    /// The bytes of a chunk.
    ///
    /// - Returns: nil where this run, having begun where it did and being where it is, can't give it.
    /// - Throws: `ContainerError`: `inputOutput` where a part can't be read, others where what came isn't what the movie
    ///   is made of.
    mutating func chunk(_ index: Int) throws(ContainerError) -> [UInt8]? {
        collector.want(index)
        while true {
            if let bytes = collector.take(index) { return bytes }
            guard !isFinished, collector.mayGive(index) else { return nil }
            try takePart()
        }
    }

    private mutating func takePart() throws(ContainerError) {
        if collector.isRunningUp, remux.places == target { collector.begin(at: step) }
        if !collector.isRunningUp { step += 1 }
        guard try remux.step(into: &remuxer) == nil else { return }
        isFinished = true
        _ = try remuxer.finish()
    }
}
