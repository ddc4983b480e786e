import TestSupport
import Testing

@testable import MediaCache

struct HolePlanTests {
    @Test func holesAreWholeBlocksFromTheBackAndSpareTheEdges() {
        let spans = SpanMap([0..<(10 << 20) + 12_345])
        let holes = HolePlan.holes(in: spans, freeing: 3_000_000)
        let freed = holes.reduce(0) { $0 + Int64($1.count) }
        #expect(freed >= 3_000_000 && freed < 3_000_000 + BlockChecksums.blockSize)
        for hole in holes {
            #expect(hole.lowerBound % BlockChecksums.blockSize == 0 && hole.upperBound % BlockChecksums.blockSize == 0)
            #expect(hole.lowerBound >= HolePlan.edge && hole.upperBound <= spans.upperBound - HolePlan.edge)
        }
    }

    @Test func everyHoleIsHere() {
        var random = SeededGenerator(seed: 5)
        print("seed 5")
        for _ in 0..<500 {
            var spans = SpanMap()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let start = Int64.random(in: 0..<20 << 20, using: &random)
                spans.insert(start..<start + Int64.random(in: 1...6 << 20, using: &random))
            }
            let bytes = Int64.random(in: 1...8 << 20, using: &random)
            for hole in HolePlan.holes(in: spans, freeing: bytes) { #expect(spans.contains(hole)) }
        }
    }
}
