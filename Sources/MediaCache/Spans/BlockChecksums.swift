import CMediaCacheShims

/// The checksums of a representation's bytes, with one record for each contiguous run within a block.
///
/// Adjacent records of a block are joined. A checksum never covers bytes that aren't cached. The catalog stores records
/// in pages of several blocks, which are decoded at first access.
package struct BlockChecksums: Sendable {
    package static let blockSize: Int64 = 64 << 10
    package static let blocksPerPage: Int64 = 256
    /// The number of bytes that a page covers.
    package static let pageSize = blockSize * blocksPerPage

    /// The checksum of a contiguous run of bytes within one block.
    package struct Record: Sendable, Hashable {
        package var range: Range<Int64>
        package var crc: UInt32
    }

    private enum Page: Sendable {
        case encoded([UInt8])
        case decoded([Int64: [Record]])
    }

    private var pages: [Int64: Page] = [:]
    private var dirtyPages: Set<Int64> = []

    /// Creates checksums from the catalog's pages, by page number.
    package init(encodedPages: [Int64: [UInt8]] = [:]) {
        pages = encodedPages.mapValues { .encoded($0) }
    }

    package static func records(of bytes: UnsafeRawBufferPointer, at offset: Int64) -> [Record] {
        var records: [Record] = []
        var position = offset
        var rest = bytes[...]
        while !rest.isEmpty {
            let blockEnd = (position / blockSize + 1) * blockSize
            let count = min(Int64(rest.count), blockEnd - position)
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
            records.append(Record(range: position..<position + count, crc: CRC32C.extend(with: piece)))
            position += count
            rest = rest.dropFirst(Int(count))
        }
        return records
    }

    /// Adds a record and joins it with adjacent records of its block.
    package mutating func insert(_ record: Record) {
        let block = record.range.lowerBound / Self.blockSize
        edit(block: block) { records in
            var merged = record
            if let index = records.firstIndex(where: { $0.range.upperBound == merged.range.lowerBound }) {
                merged = Self.join(records.remove(at: index), merged)
            }
            if let index = records.firstIndex(where: { $0.range.lowerBound == merged.range.upperBound }) {
                merged = Self.join(merged, records.remove(at: index))
            }
            let place = records.firstIndex { $0.range.lowerBound > merged.range.lowerBound } ?? records.endIndex
            records.insert(merged, at: place)
        }
    }

    /// Returns the records that overlap `range`. A damaged page has none, so its bytes count as damaged.
    package mutating func records(in range: Range<Int64>) -> [Record] {
        guard !range.isEmpty else { return [] }
        var found: [Record] = []
        for block in range.lowerBound / Self.blockSize...(range.upperBound - 1) / Self.blockSize {
            found += blocks(ofPage: block / Self.blocksPerPage)[block, default: []].filter { $0.range.overlaps(range) }
        }
        return found
    }

    /// Removes every record that overlaps `range`, and returns the ranges covered by the removed records.
    package mutating func remove(_ range: Range<Int64>) -> [Range<Int64>] {
        let removed = records(in: range).map(\.range)
        for range in removed {
            edit(block: range.lowerBound / Self.blockSize) { $0.removeAll { $0.range == range } }
        }
        return removed
    }

    /// Returns the encoded pages changed since the last call. An empty page deletes the stored one.
    package mutating func takeDirtyPages() -> [Int64: [UInt8]] {
        defer { dirtyPages = [] }
        return Dictionary(uniqueKeysWithValues: dirtyPages.map { ($0, Self.encode(blocks(ofPage: $0), page: $0)) })
    }

    /// Marks pages as changed again after a failed commit.
    package mutating func markDirty(pages: some Sequence<Int64>) {
        dirtyPages.formUnion(pages)
    }

    package mutating func allPages() -> [Int64: [UInt8]] {
        Dictionary(uniqueKeysWithValues: pages.keys.map { ($0, Self.encode(blocks(ofPage: $0), page: $0)) })
    }

    private static func join(_ first: Record, _ second: Record) -> Record {
        let crc = CRC32C.combine(first.crc, second.crc, secondCount: second.range.count)
        return Record(range: first.range.lowerBound..<second.range.upperBound, crc: crc)
    }

    private mutating func edit(block: Int64, _ change: (inout [Record]) -> Void) {
        let page = block / Self.blocksPerPage
        var blocks = blocks(ofPage: page)
        pages[page] = nil  // avoids a copy of the dictionary below
        var records = blocks.removeValue(forKey: block) ?? []
        change(&records)
        if !records.isEmpty { blocks[block] = records }
        pages[page] = .decoded(blocks)
        dirtyPages.insert(page)
    }

    private mutating func blocks(ofPage page: Int64) -> [Int64: [Record]] {
        switch pages[page] {
        case nil: return [:]
        case .decoded(let blocks): return blocks
        case .encoded(let bytes):
            let blocks = Self.decode(bytes, page: page) ?? [:]
            pages[page] = .decoded(blocks)
            return blocks
        }
    }

    private static func encode(_ blocks: [Int64: [Record]], page: Int64) -> [UInt8] {
        var writer = VarintWriter()
        for (block, records) in blocks.sorted(by: { $0.key < $1.key }) {
            writer.write(UInt64(block - page * blocksPerPage))
            writer.write(UInt64(records.count))
            for record in records {
                writer.write(UInt64(record.range.lowerBound - block * blockSize))
                writer.write(UInt64(record.range.count))
                writer.write(fixed: record.crc)
            }
        }
        return writer.bytes
    }

    private static func decode(_ bytes: [UInt8], page: Int64) -> [Int64: [Record]]? {
        // A damaged catalog may contain any page number.
        guard (0..<Int64.max / pageSize).contains(page) else { return nil }
        var reader = VarintReader(bytes)
        var blocks: [Int64: [Record]] = [:]
        while !reader.isAtEnd {
            guard let index = reader.read(), index < UInt64(blocksPerPage), let count = reader.read(),
                count <= UInt64(blockSize)
            else { return nil }
            let block = page * blocksPerPage + Int64(index)
            var records: [Record] = []
            for _ in 0..<count {
                guard let start = reader.read(), let length = reader.read(), let crc = reader.readFixed(),
                    length > 0, start < UInt64(blockSize), length <= UInt64(blockSize) - start
                else { return nil }
                let lower = block * blockSize + Int64(start)
                records.append(Record(range: lower..<lower + Int64(length), crc: crc))
            }
            blocks[block] = records
        }
        return blocks
    }
}

/// CRC-32C (Castagnoli), computed with hardware instructions where available.
package enum CRC32C {
    /// Returns the checksum of the bytes covered by `crc` followed by `bytes`.
    package static func extend(_ crc: UInt32 = 0, with bytes: UnsafeRawBufferPointer) -> UInt32 {
        mc_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of two consecutive runs, given the checksum of each and the length of the second in bytes.
    package static func combine(_ first: UInt32, _ second: UInt32, secondCount: Int) -> UInt32 {
        mc_crc32c_combine(first, second, UInt64(secondCount))
    }
}
