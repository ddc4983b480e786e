import Foundation
import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

struct BundlePartRangesTests {
    private func part(_ range: Range<Int64>?) -> AssetPart {
        AssetPart(role: .mediaSegment, name: "all.mp4", url: "http://h/all.mp4", range: range)
    }

    @Test func joinsTouchingRanges() {
        let ranges = BundlePartRanges(of: [part(50..<60), part(0..<10), part(10..<20), part(55..<70)])
        #expect(ranges?.ranges == [0..<20, 50..<70])
        #expect(BundlePartRanges(of: [part(0..<10), part(nil)]) == nil)
    }

    /// In a single-file fragmented MP4, an index is between the initialization section and the first segment.
    @Test func readsOnlyRanges() throws {
        let whole = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let parts: [Range<Int64>] = [0..<700, 1200..<2_500_000]
        let ranges = try #require(BundlePartRanges(of: parts.map(part)))
        try withTemporaryFolder { folder in
            let path = folder + "/all.mp4"
            let length = try ranges.copy(to: try FileSink(path: path)) { (range) throws(ContainerError) in
                guard parts.contains(where: { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound })
                else { throw ContainerError(.inputOutput, "a hole", at: range.lowerBound) }
                return FetchedBytes(
                    offset: range.lowerBound, bytes: Array(whole[Int(range.lowerBound)..<Int(range.upperBound)]),
                    completeLength: 3_000_000, entityTag: "1")
            }
            #expect(length == 3_000_000)
            var expected = [UInt8](repeating: 0, count: whole.count)
            for range in parts {
                let range = Int(range.lowerBound)..<Int(range.upperBound)
                expected.replaceSubrange(range, with: whole[range])
            }
            #expect(Array(try Data(contentsOf: URL(filePath: path))) == expected)
        }
    }

    /// On Linux, each write to /dev/full fails as on a full disk.
    @Test(.enabled(if: try Prerequisite.isMet("/dev/full", FileManager.default.isWritableFile(atPath: "/dev/full"))))
    func fullDiskIsNotMissingPart() throws {
        let ranges = try #require(BundlePartRanges(of: [part(0..<10)]))
        let file = try FileSink(path: "/dev/full")
        let error = #expect(throws: ContainerError.self) {
            try ranges.copy(to: file) { (range) throws(ContainerError) in
                FetchedBytes(
                    offset: range.lowerBound, bytes: Array(repeating: 1, count: 10), completeLength: 10, entityTag: nil)
            }
        }
        #expect(error?.code == .unsupported)
    }

    @Test func rejectsChangedRepresentation() throws {
        let ranges = try #require(BundlePartRanges(of: [part(0..<10), part(20..<30)]))
        try withTemporaryFolder { folder in
            let file = try FileSink(path: folder + "/all.mp4")
            #expect(throws: ContainerError.self) {
                try ranges.copy(to: file) { (range) throws(ContainerError) in
                    FetchedBytes(
                        offset: range.lowerBound, bytes: Array(repeating: 1, count: 10), completeLength: 40,
                        entityTag: "\(range.lowerBound)")
                }
            }
        }
    }
}
