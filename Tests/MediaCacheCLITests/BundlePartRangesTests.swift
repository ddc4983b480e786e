import Foundation
import MediaCacheAPI
import MediaContainers
import MediaLibrary
import Testing

@testable import MediaCacheCLI
@testable import MediaCacheServer

/// What is written of a resource of which an asset has some ranges.
struct BundlePartRangesTests {
    private func part(_ range: Range<Int64>?) -> AssetPart {
        AssetPart(role: .mediaSegment, name: "all.mp4", url: "http://h/all.mp4", range: range)
    }

    @Test func rangesThatTouchAreOne() {
        let ranges = BundlePartRanges(of: [part(50..<60), part(0..<10), part(10..<20), part(55..<70)])
        #expect(ranges?.ranges == [0..<20, 50..<70])
        #expect(BundlePartRanges(of: [part(0..<10), part(nil)]) == nil)
    }

    /// As of fragmented MP4 in one file: an index lies between the initialization section and the first segment.
    @Test func whatLiesBetweenIsNotRead() throws {
        let whole = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let kept: [Range<Int64>] = [0..<700, 1200..<2_500_000]
        let ranges = try #require(BundlePartRanges(of: kept.map(part)))
        try withTemporaryFolder { folder in
            let path = folder + "/all.mp4"
            let length = try ranges.copy(to: try FileSink(path: path)) { (range) throws(ContainerError) in
                guard kept.contains(where: { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound })
                else { throw ContainerError(.inputOutput, "a hole", at: range.lowerBound) }
                return MediaPart(
                    offset: range.lowerBound, bytes: Array(whole[Int(range.lowerBound)..<Int(range.upperBound)]),
                    completeLength: 3_000_000, contentType: "video/mp4", entityTag: "1")
            }
            #expect(length == 3_000_000)
            var expected = [UInt8](repeating: 0, count: whole.count)
            for range in kept {
                let range = Int(range.lowerBound)..<Int(range.upperBound)
                expected.replaceSubrange(range, with: whole[range])
            }
            #expect(Array(try Data(contentsOf: URL(filePath: path))) == expected)
        }
    }

    @Test func anotherVersionInTheMiddleIsAnError() throws {
        let ranges = try #require(BundlePartRanges(of: [part(0..<10), part(20..<30)]))
        try withTemporaryFolder { folder in
            let file = try FileSink(path: folder + "/all.mp4")
            #expect(throws: ContainerError.self) {
                try ranges.copy(to: file) { (range) throws(ContainerError) in
                    MediaPart(
                        offset: range.lowerBound, bytes: Array(repeating: 1, count: 10), completeLength: 40,
                        contentType: "video/mp4", entityTag: "\(range.lowerBound)")
                }
            }
        }
    }
}
