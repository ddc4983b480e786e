/// Moves a file's index to its front, so that playback can start before the end is there.
///
/// What is made is a layout: the file is written from it, or ranges of it are answered without writing.
public enum FastStart {
    /// Plans the rearranged file.
    ///
    /// Only the headers of the boxes and `moov` are read.
    ///
    /// - Parameter source: The file's bytes.
    /// - Returns: The layout; the file as it is when its index already comes before the media.
    /// - Throws: ``ContainerError`` when the file is no MP4, is damaged, or has fragments before its index.
    public static func layout<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayout {
        var planner = FastStartPlanner(length: source.length)
        while true {
            switch planner.step {
            case .done(let layout): return layout
            case .read(let range): try planner.supply(try source.bytes(range, limit: FastStartPlanner.largestIndex))
            }
        }
    }

    /// A read-only view of the rearranged file.
    ///
    /// - Parameter source: The file's bytes.
    /// - Throws: As ``layout(of:)``.
    public static func view<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayoutView<Source> {
        ByteLayoutView(layout: try layout(of: source), source: source)
    }
}

/// Plans a rearranged file without doing any I/O: it says which bytes it needs next and is given them.
///
/// A cache whose bytes come over the network supplies them as they arrive; ``FastStart/layout(of:)`` is the same over
/// a source that can wait.
public struct FastStartPlanner: Sendable {
    /// What the planner needs, or has.
    public enum Step: Sendable, Hashable {
        /// These bytes of the file are needed: give them to ``FastStartPlanner/supply(_:)``.
        case read(Range<Int64>)
        /// The layout of the rearranged file.
        case done(ByteLayout)
    }

    /// The largest `moov` that is moved: 512 MiB.
    static let largestIndex = 512 << 20
    /// More boxes than this at the top are no film but a trap.
    private static let mostBoxes = 100_000

    /// What comes next.
    public private(set) var step: Step
    private let length: Int64
    private var boxes: [BoxHeader] = []
    private var movie: BoxHeader?
    private var isReadingMovie = false

    /// Starts planning.
    ///
    /// - Parameter length: The length of the file in bytes.
    public init(length: Int64) {
        self.length = length
        step = .read(0..<min(length, Int64(BoxHeader.largestHeader)))
    }

    /// Takes the bytes that ``step`` asked for.
    ///
    /// - Parameter bytes: Exactly the bytes of the range.
    /// - Throws: ``ContainerError`` when they are no MP4 or can't be rearranged.
    public mutating func supply(_ bytes: [UInt8]) throws(ContainerError) {
        guard case .read(let range) = step else { return }
        guard Int64(bytes.count) == range.upperBound - range.lowerBound else {
            throw ContainerError(.truncated, "\(bytes.count) bytes instead of \(range)", at: range.lowerBound)
        }
        if isReadingMovie, let movie {
            step = .done(try rearranged(movie, bytes))
        } else {
            try takeHeader(bytes, at: range.lowerBound)
        }
    }

    private mutating func takeHeader(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
        let length = length
        let header = try bytes.withReader(at: offset) { (reader) throws(ContainerError) in
            try BoxHeader(&reader, limit: length)
        }
        if boxes.isEmpty, !MP4Format.firstTypes.contains(header.type) {
            throw ContainerError(.notThisFormat, "the first box is \(header.type)", at: offset)
        }
        guard boxes.count < Self.mostBoxes else {
            throw ContainerError(.limitExceeded, "more than \(Self.mostBoxes) boxes", at: offset)
        }
        boxes.append(header)
        if header.type == "moov" {
            guard movie == nil else { throw ContainerError(.malformed, "a second moov", at: offset) }
            movie = header
            // An index before all media: nothing to do, and no need to look further.
            if !boxes.contains(where: { $0.type == "mdat" || $0.type == "moof" }) {
                step = .done(ByteLayout([.source(0..<length)]))
                return
            }
        }
        let next = header.end
        if length - next >= 8 {
            step = .read(next..<min(length, next.addingClamped(Int64(BoxHeader.largestHeader))))
        } else {
            try askForMovie()
        }
    }

    private mutating func askForMovie() throws(ContainerError) {
        guard let movie else {
            throw ContainerError(
                .malformed, "no moov: the file has no index", at: length,
                advice: "A recording that was cut off can't be rearranged")
        }
        guard movie.end <= length else {
            throw ContainerError(.truncated, "moov: \(movie.size) bytes, the file ends before", at: movie.offset)
        }
        guard !boxes.contains(where: { $0.type == "moof" }) else {
            throw ContainerError(
                .unsupported, "moov comes after fragments (moof)", at: movie.offset,
                advice: "Remux the file to a progressive MP4")
        }
        guard movie.size <= Int64(Self.largestIndex) else {
            throw ContainerError(.limitExceeded, "moov: \(movie.size) bytes", at: movie.offset)
        }
        isReadingMovie = true
        step = .read(movie.offset..<movie.end)
    }

    /// The index goes right after `ftyp`, everything else keeps its order.
    private func rearranged(_ movie: BoxHeader, _ bytes: [UInt8]) throws(ContainerError) -> ByteLayout {
        let insertion = boxes.first.map { $0.type == "ftyp" ? $0.end : 0 } ?? 0
        let relocation = MovieRelocation(insertion: insertion, old: movie.offset..<movie.end)
        let relocated = try relocation.relocate(bytes)
        return ByteLayout([
            .source(0..<insertion), .generated(relocated), .source(insertion..<movie.offset),
            .source(movie.end..<length),
        ])
    }
}
