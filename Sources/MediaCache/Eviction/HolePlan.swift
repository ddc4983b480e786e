/// Which bytes of a blob go when it has to lose some.
enum HolePlan {
    /// Players need the first and the last bytes to begin: these stay.
    static let edge: Int64 = 1 << 20

    /// Whole blocks from the back, at least `bytes` of them as far as they reach.
    static func holes(in spans: SpanMap, freeing bytes: Int64) -> [Range<Int64>] {
        let block = BlockChecksums.blockSize
        let end = (spans.upperBound - edge) / block * block
        var left = bytes
        var holes: [Range<Int64>] = []
        for span in spans.spans.reversed() where left > 0 {
            let lower = (max(span.lowerBound, edge) + block - 1) / block * block
            let upper = min(span.upperBound / block * block, end)
            guard lower < upper else { continue }
            let hole = max(lower, (upper - left) / block * block)..<upper
            holes.append(hole)
            left -= Int64(hole.count)
        }
        return holes
    }
}
