/// Rearrangement of an MP4 file that moves its index to the front, so that playback can start before the whole file is
/// available.
public enum FastStart {
    /// Plans the rearranged file. Reads only the box headers and `moov`. Returns the unchanged file if the index
    /// already precedes the media. Throws when the file isn't MP4, is damaged, has fragments without an index at the
    /// front, or has a compressed or overlong index; also the errors of the source.
    public static func layout<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayout {
        var planner = FastStartPlanner(length: source.length)
        while true {
            switch planner.step {
            case .done(let layout): return layout
            case .read(let range):
                try planner.supply(try source.bytes(range, limit: FastStartPlanner.maximumIndexLength))
            }
        }
    }

    /// Returns a read-only view of the rearranged file. Throws as ``layout(of:)`` does.
    public static func view<Source: ByteSource>(of source: Source) throws(ContainerError) -> ByteLayoutView<Source> {
        ByteLayoutView(layout: try layout(of: source), source: source)
    }
}

/// A planner of a rearranged file that requests the bytes it needs from the caller, which may read them from a network.
/// For a source that can block, use ``FastStart/layout(of:)``.
public struct FastStartPlanner: Sendable {
    /// The next step of the plan.
    public enum Step: Sendable, Hashable {
        /// The planner needs these bytes of the file. Pass them to ``FastStartPlanner/supply(_:)``.
        case read(Range<Int64>)
        /// The plan is complete, with the layout of the rearranged file.
        case done(ByteLayout)
    }

    /// The maximum size of a `moov` to relocate, in bytes.
    static let maximumIndexLength = 512 << 20
    private static let maximumBoxes = 100_000

    /// The next step.
    public private(set) var step: Step
    private let length: Int64
    private var boxes: [BoxHeader] = []
    private var movie: BoxHeader?
    private var isReadingMovie = false

    /// Creates a planner for a file of `length` bytes.
    public init(length: Int64) {
        self.length = length
        step = .read(0..<min(length, Int64(BoxHeader.maximumHeaderLength)))
    }

    /// Supplies exactly the bytes requested by ``step``. Does nothing if the plan is complete. Throws when the file
    /// isn't MP4 or can't be rearranged, or the number of bytes is wrong.
    public mutating func supply(_ bytes: [UInt8]) throws(ContainerError) {
        guard case .read(let range) = step else { return }
        guard Int64(bytes.count) == range.upperBound - range.lowerBound else {
            throw ContainerError(.truncated, "\(bytes.count) bytes supplied for range \(range)", at: range.lowerBound)
        }
        if isReadingMovie, let movie {
            step = .done(try rearranged(movie, bytes))
        } else {
            try readHeader(bytes, at: range.lowerBound)
        }
    }

    private mutating func readHeader(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
        let length = length
        let header = try bytes.withReader(at: offset) { (reader) throws(ContainerError) in
            try BoxHeader(&reader, limit: length)
        }
        if boxes.isEmpty, !MP4Format.firstTypes.contains(header.type) {
            throw ContainerError(.notThisFormat, "not an MP4 file: its first box is \(header.type)", at: offset)
        }
        guard boxes.count < Self.maximumBoxes else {
            throw ContainerError(.limitExceeded, "more than \(Self.maximumBoxes) top-level boxes", at: offset)
        }
        boxes.append(header)
        if header.type == "moov" {
            guard movie == nil else { throw ContainerError(.malformed, "more than one moov", at: offset) }
            movie = header
            // The index precedes all media, so the file stays unchanged.
            if !boxes.contains(where: { $0.type == "mdat" || $0.type == "moof" }) {
                step = .done(ByteLayout([.source(0..<length)]))
                return
            }
        }
        let next = header.end
        if length - next >= 8 {
            step = .read(next..<min(length, next.addingClamped(Int64(BoxHeader.maximumHeaderLength))))
        } else {
            try requestMovieBox()
        }
    }

    private mutating func requestMovieBox() throws(ContainerError) {
        guard let movie else {
            throw ContainerError(
                .malformed, "no moov: the file has no index", at: length,
                advice: "A truncated recording can't be rearranged")
        }
        guard movie.end <= length else {
            throw ContainerError(
                .truncated, "moov: its \(movie.size) bytes extend past the end of the file", at: movie.offset)
        }
        guard !boxes.contains(where: { $0.type == "moof" }) else {
            throw ContainerError(
                .unsupported, "the file has fragments (moof), so its samples aren't listed in moov", at: movie.offset,
                advice: "Remux the file to a progressive MP4")
        }
        guard movie.size <= Int64(Self.maximumIndexLength) else {
            throw ContainerError(
                .limitExceeded, "moov: \(movie.size) bytes exceed the limit of \(Self.maximumIndexLength)",
                at: movie.offset)
        }
        isReadingMovie = true
        step = .read(movie.offset..<movie.end)
    }

    /// Returns a layout with the index right after a leading `ftyp`, or at the front without one, and everything else
    /// in its original order.
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
