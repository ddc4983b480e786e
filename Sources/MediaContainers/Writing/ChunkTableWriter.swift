/// Writes `stsc` and `stco` or `co64` of one track (ISO/IEC 14496-12, 8.7.4 and 8.7.5).
struct ChunkTableWriter {
    let chunks: [MovieBuilder.Chunk]
    let track: Int
    let mediaStart: Int64

    func write(isWide: Bool, to bytes: inout [UInt8]) {
        var count: UInt32 = 0
        var runs: UInt32 = 0
        bytes.appendFullBox("stsc") { bytes in
            let place = bytes.count
            bytes.appendBigEndian(UInt32(0))
            var samples: UInt32 = 0
            var format: UInt16 = 0
            for chunk in chunks where chunk.track == track {
                count += 1
                guard runs == 0 || chunk.count != samples || chunk.format != format else { continue }
                samples = chunk.count
                format = chunk.format
                runs += 1
                bytes.appendBigEndian(count)
                bytes.appendBigEndian(samples)
                bytes.appendBigEndian(UInt32(format) + 1)
            }
            bytes.setBigEndian(runs, at: place)
        }
        bytes.appendFullBox(isWide ? "co64" : "stco") { bytes in
            bytes.appendBigEndian(count)
            for chunk in chunks where chunk.track == track {
                let offset = mediaStart + chunk.offset
                if isWide {
                    bytes.appendBigEndian(offset)
                } else {
                    bytes.appendBigEndian(UInt32(truncatingIfNeeded: offset))
                }
            }
        }
    }
}
