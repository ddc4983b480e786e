import MediaContainers
import PacketOracles
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct PacketOracleTests {
    private static let endings = [".mp4", ".m4v", ".m4a", ".mov", ".isma", ".ismt", ".cmfv", ".m4i"]

    @Test(arguments: try OracleComparison.paths(endings)) func matchesPacketsOfFFprobe(path: String) throws {
        var comparison = try OracleComparison(path, hasDurations: true)
        let source = MemorySource(try Corpora.bytes(path))
        let reader = try MP4Reader(source)
        var end: ContainerError.Code?
        do { try reader.deliver(to: &comparison) } catch { end = error.code }
        #expect(end == (comparison.oracle.isCutOff ? .truncated : nil))
        comparison.expect()
        for (picture, artwork) in zip(comparison.oracle.artwork, reader.movie.artwork) {
            let bytes = try source.bytes(artwork.range, limit: 1 << 24)
            #expect(artwork.format == .jpeg)
            #expect(picture.packets.map(\.checksum) == [bytes.withUnsafeBytes { CRC32.checksum($0) }])
        }
        #expect(comparison.oracle.artwork.count == reader.movie.artwork.count)
    }
}
