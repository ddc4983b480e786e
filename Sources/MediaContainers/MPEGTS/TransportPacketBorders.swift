/// Finds places in a transport stream at which a packet begins, without reading all of it.
package enum TransportPacketBorders {
    /// As many sync bytes in a row are believed.
    private static let confirmations = 5

    /// Places at which the stream can be cut into parts that follow each other.
    ///
    /// - Parameters:
    ///   - source: The stream's bytes.
    ///   - length: About how far the places are from each other and from both ends, in bytes.
    /// - Returns: The places in order; none in what is no transport stream, and where damage has moved its packets.
    /// - Throws: What the source throws.
    package static func borders(of source: some ByteSource, every length: Int64) throws(ContainerError) -> [Int64] {
        guard length > 0, source.length >= 2 * length else { return [] }
        let probe = SegmentFormat.probeLength
        let front = try source.bytes(0..<min(source.length, Int64(probe)), limit: probe)
        guard let grid = grid(front) else { return [] }
        var borders: [Int64] = []
        var wanted = length
        while wanted <= source.length - length {
            let border = wanted + (grid.stride - (wanted - grid.first) % grid.stride) % grid.stride
            // The packet before has to be one too.
            let begin = border - grid.stride
            let end = min(source.length, border + Int64(confirmations) * grid.stride)
            let bytes = try source.bytes(begin..<end, limit: (confirmations + 1) * Int(grid.stride))
            let starts = stride(from: 0, to: bytes.count, by: Int(grid.stride))
            if starts.allSatisfy({ bytes[$0] == TransportPacketSynchronizer.syncByte }) { borders.append(border) }
            wanted += length
        }
        return borders
    }

    /// Where the first packet begins, and how far it is to the next.
    private static func grid(_ front: [UInt8]) -> (first: Int64, stride: Int64)? {
        front.withUnsafeBytes { bytes in
            guard SegmentFormat.recognise(bytes, isWhole: false) == .transportStream else { return nil }
            var synchronizer = TransportPacketSynchronizer()
            var cursor = 0
            guard synchronizer.next(in: bytes, at: &cursor) != nil else { return nil }
            return (synchronizer.packetOffset, Int64(synchronizer.stride))
        }
    }
}
