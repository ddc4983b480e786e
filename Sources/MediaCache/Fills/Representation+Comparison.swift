extension Representation {
    /// How many bytes right before `offset` are here.
    func comparableBytes(before offset: Int64) -> Int64 {
        withState { state in
            guard offset > 0, let span = state.written.span(at: offset - 1) else { return 0 }
            return offset - span.lowerBound
        }
    }

    /// Whether what is here of a piece's bytes is what came now.
    ///
    /// Bytes that the disk has lost decide nothing; they are a hole from now on.
    func agrees(with piece: OriginPiece, in parts: [Range<Int64>]) async throws -> Bool {
        try await engine.pool.run { [self] in
            let file = try source()
            return try parts.allSatisfy { part in
                let isSame = try withUnsafeTemporaryAllocation(byteCount: part.count, alignment: 16) { buffer in
                    try file.read(into: buffer, at: part.lowerBound)
                    return piece.withUnsafeBytes { bytes in
                        let start = Int(part.lowerBound - piece.offset)
                        return bytes[start..<start + part.count].elementsEqual(buffer)
                    }
                }
                return isSame || !compare(part).isEmpty
            }
        }
    }

    /// Asks the origin again for up to 64 KiB of what is here, and compares: for versions that no validator tells
    /// apart.
    func isSameAtOrigin(_ settings: TransferSettings?) async throws -> Bool {
        let head = head
        guard let span = spans.spans.first else { return true }
        // A part of the origin's bytes can't be told from a part of what was made of them all.
        guard content.transform?.isWhole != true else { return false }
        let reader = OriginReader(
            context: engine.originContext(settings), locator: resource.locator,
            asked: .from(span.lowerBound, to: min(span.upperBound, span.lowerBound + OriginReader.overlap)),
            known: KnownRepresentation(
                validator: Validator(lastModified: head.validator.lastModified), length: head.length),
            tap: engine.tap(self, observes: false))
        defer { Task { await reader.close() } }
        while let piece = try await reader.next() {
            let here = withState { $0.written.spans(in: piece.range) }
            guard try await agrees(with: piece, in: here) else { return false }
        }
        return true
    }
}
