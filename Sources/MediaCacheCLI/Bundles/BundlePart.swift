import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// One part of an asset on its way into a folder.
struct BundlePart {
    let part: AssetPart
    /// The bytes that are wanted, where that isn't all of them.
    let ranges: BundlePartRanges?
    let asset: BundleRecord
    /// What the asset's names stand behind, at the owner's own address.
    let place: String
    let client: APIClient
    let opening: InputOpening

    /// Puts it under its name: by reflink or hard link where the kept file is what is wanted, else read as a player reads
    /// it, without what its origin has put around it.
    ///
    /// - Returns: its length, and whether it's what the origin sent.
    /// - Throws: `ContainerError`, with `inputOutput` where it isn't here.
    func put(into draft: FolderDraft) throws(ContainerError) -> (length: Int64, isAsItCame: Bool) {
        let record = try record()
        if let record, let source = try kept(record) {
            do {
                return (try draft.link(source, to: part.name), true)
            } catch {
                throw ContainerError(.unsupported, "it can't be put into the folder", cause: error)
            }
        }
        let url = place + part.name
        // What lies between the ranges isn't part of the asset, and so it need not be here.
        if record == nil, let ranges { return (try put(ranges, from: url, into: draft), false) }
        let source = try PlaySource(url, client: client, control: opening.control, progress: opening.progress)
        do {
            let file = try draft.file(part.name)
            var offset: Int64 = 0
            while offset < source.length {
                let piece = try source.bytes(
                    offset..<min(source.length, offset + BundlePartRanges.pieceLength),
                    limit: Int(BundlePartRanges.pieceLength))
                try piece.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try file.write(bytes, at: offset) }
                offset += Int64(piece.count)
            }
            return (source.length, record?.length == source.length)
        } catch let error as ContainerError {
            throw error
        } catch {
            throw ContainerError(.unsupported, "it can't be put into the folder", cause: error)
        }
    }

    /// Puts some of it under its name, each byte where it was; holes stay between.
    ///
    /// - Returns: its length.
    private func put(
        _ ranges: BundlePartRanges, from url: String, into draft: FolderDraft
    ) throws(ContainerError) -> Int64 {
        do {
            return try ranges.copy(to: try draft.file(part.name)) { (range) throws(ContainerError) in
                do {
                    let (client, limit) = (client, Int(range.upperBound - range.lowerBound))
                    let piece = try opening.control.wait { try await client.media(at: url, range: range, limit: limit) }
                    opening.progress?.note(Int64(piece.bytes.count))
                    return piece
                } catch {
                    throw ContainerError(
                        .inputOutput, "the cache can't read it", at: range.lowerBound, cause: error)
                }
            }
        } catch let error as ContainerError {
            throw error
        } catch {
            throw ContainerError(.unsupported, "it can't be put into the folder", cause: error)
        }
    }

    /// What is kept of the part, unless it's one user's: then it isn't found by its URL alone. Nor is what was recorded,
    /// since its URL may mean another segment now.
    private func record() throws(ContainerError) -> ResourceRecord? {
        guard !asset.withCredentials, part.keptAs == nil else { return nil }
        do {
            let (client, url) = (client, try ResourceURL(part.url))
            return try opening.control.wait {
                guard let record = try await client.resource(for: url), record.complete, !record.withCredentials
                else { return nil }
                return try await client.resource(id: record.id, withFile: true)
            }
        } catch {
            throw ContainerError(.inputOutput, "the cache can't say what is kept", cause: error)
        }
    }

    /// The kept file, where it's what is wanted.
    private func kept(_ record: ResourceRecord) throws(ContainerError) -> String? {
        guard let path = record.localFile else { return nil }
        guard part.role == .mediaSegment || part.role == .initializationSection, part.range == nil else { return path }
        guard let file = try? FileSource(path: path) else { return nil }
        return try UnwrappedSource(file, isEncrypted: part.isEncrypted).wrapping == .none ? path : nil
    }
}
