internal import Foundation
internal import HLS
public import MediaCache
internal import MediaContainers

/// A completely cached resource.
public struct CachedResource: Sendable, Hashable {
    /// The length in bytes; nil if it's unknown.
    public var length: Int64?
    /// The path of the cached file; nil if the cache doesn't expose it.
    public var file: String?

    /// Creates a resource.
    public init(length: Int64?, file: String?) {
        self.length = length
        self.file = file
    }
}

/// A cache whose assets can be exported as bundles.
public protocol BundleGateway: MediaGateway {
    /// Returns the resource at a URL; nil if it isn't completely cached, or belongs to a single user.
    func cachedResource(at url: ResourceURL) async throws -> CachedResource?

    /// Returns the cover of an asset; nil if it has none.
    func cover(ofAsset id: String) async throws -> Cover?
}

/// A job that exports an asset, or a window of a channel, as a folder of playlists, segments and keys. Any web server
/// can serve the folder, and any player can open it.
public struct BundleExport: Sendable {
    /// The asset or window.
    public struct Source: Sendable {
        /// The ID of the asset, or the name of the channel.
        public var id: String
        /// The title.
        public var title: String?
        /// The URL, without user information.
        public var url: String
        /// Whether the asset was downloaded with credentials, so that it belongs to a single user.
        public var withCredentials: Bool
        /// The selection of variant streams and renditions.
        public var selection: StreamSelection?
        /// The number of parts that couldn't be downloaded or recorded.
        public var missingParts: Int
        /// Whether the asset has a cover.
        public var hasCover: Bool
        /// The playlists and parts; nil if they're unknown.
        public var contents: AssetContents?
        /// The base URL for the names of playlists and parts, with a trailing slash.
        public var baseURL: String

        /// Creates a description.
        public init(
            id: String, title: String?, url: String, withCredentials: Bool, selection: StreamSelection?,
            missingParts: Int, hasCover: Bool, contents: AssetContents?, baseURL: String
        ) {
            (self.id, self.title, self.url, self.baseURL) = (id, title, url, baseURL)
            (self.withCredentials, self.selection, self.missingParts) = (withCredentials, selection, missingParts)
            (self.hasCover, self.contents) = (hasCover, contents)
        }
    }

    /// The result of a job.
    public struct Result: Encodable, Sendable {
        /// The ID of the asset, or the name of the channel.
        public var asset: String
        /// The path of the folder.
        public var output: String
        /// The name of the file in the folder that players open.
        public var entry: String
        /// The number of parts written.
        public var parts: Int
        /// The total size of the written parts in bytes.
        public var bytes: Int64
        /// The names of missing parts. The gaps of a recording are listed by track and media sequence number:
        /// `video-1/42`.
        public var missing: [String]
    }

    /// The asset or window.
    public var source: Source
    /// The output.
    public var output: OutputFolder
    /// Whether missing parts are omitted. Otherwise, the job fails if a part is missing.
    public var leavesGaps: Bool

    /// Creates a job.
    public init(of source: Source, to output: OutputFolder, leavesGaps: Bool) {
        self.source = source
        self.output = output
        self.leavesGaps = leavesGaps
    }

    /// Writes the folder.
    ///
    /// - Parameter gateway: The cache that contains the asset.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public func run(gateway: any BundleGateway, progress: ReadProgress? = nil) async throws -> Result {
        try await MediaJob.run(on: source.url) { control in
            try run(gateway, control, progress)
        }
    }

    private func run(
        _ gateway: any BundleGateway, _ control: OperationControl, _ progress: ReadProgress?
    ) throws -> Result {
        guard let contents = source.contents else {
            throw MediaJobError(
                .failed, "\(source.url) hasn't been analyzed yet; download it first, or export it to a file")
        }
        if source.missingParts > 0, !leavesGaps {
            throw MediaJobError(.missingParts, "\(source.url) has \(source.missingParts.counted("missing part"))")
        }
        let draft = try output.makeDraft()
        defer { draft.remove() }
        var manifest = BundleManifest(
            title: source.title, url: source.url, entry: contents.entry, duration: contents.duration,
            selection: source.selection, created: Date())
        var result = Result(
            asset: source.id, output: output.path, entry: contents.entry, parts: 0, bytes: 0, missing: [])
        for playlist in contents.playlists { try draft.write(Array(playlist.text.utf8), to: playlist.name) }
        var seen: Set<String> = []
        let parts = Dictionary(grouping: contents.parts, by: \.name)
        for part in contents.parts where seen.insert(part.name).inserted {
            do throws(ContainerError) {
                let copy = BundlePart(
                    // A recorded range is stored as a separate resource.
                    part: part, ranges: part.storedAs == nil ? BundlePartRanges(of: parts[part.name] ?? [part]) : nil,
                    source: source, gateway: gateway, control: control, progress: progress)
                let (length, isUnchanged) = try copy.write(to: draft)
                result.parts += 1
                result.bytes += length
                manifest.parts.append(
                    .init(name: part.name, url: isUnchanged && !source.withCredentials ? part.url : nil))
            } catch {
                if error.cause is CancellationError { throw CancellationError() }
                guard error.code == .inputOutput else {
                    throw MediaJobError(.failed, "\(source.url) can't be exported: \(part.name): \(error)")
                }
                guard leavesGaps else {
                    throw MediaJobError(.missingParts, "\(source.url) isn't complete: \(part.name): \(error)")
                }
                manifest.parts.append(.init(name: part.name, url: source.withCredentials ? nil : part.url))
                manifest.holes.append(part.name)
                result.missing.append(part.name)
            }
            progress?.update(parts: seen.count, of: contents.parts.count)
        }
        let lost = Self.recordingGaps(contents)
        result.missing += lost
        if !lost.isEmpty { manifest.lost = lost.count }
        if source.hasCover, let cover = try control.wait(for: { try await gateway.cover(ofAsset: source.id) }) {
            let name = "cover.\(cover.pathExtension)"
            try draft.write(cover.bytes, to: name)
            manifest.cover = name
        }
        try draft.write(try manifest.encoded(), to: BundleManifest.fileName)
        try draft.moveToTarget()
        return result
    }

    /// Returns the gaps of a recording, which are listed in the playlists, but aren't parts.
    private static func recordingGaps(_ contents: AssetContents) -> [String] {
        guard contents.parts.contains(where: { $0.storedAs != nil }) else { return [] }
        return contents.playlists.flatMap { local -> [String] in
            guard case .media(let media) = try? PlaylistParser().parse(Array(local.text.utf8)).playlist else {
                return []
            }
            let folder = local.name.prefix { $0 != "/" }
            return media.resolvedSegments.filter(\.segment.isGap).map { "\(folder)/\($0.mediaSequence)" }
        }
    }
}

/// The export of one part to a folder.
private struct BundlePart {
    let part: AssetPart
    /// The byte ranges of the resource that belong to the asset; nil for the whole resource.
    let ranges: BundlePartRanges?
    let source: BundleExport.Source
    let gateway: any BundleGateway
    let control: OperationControl
    let progress: ReadProgress?

    /// Writes the part as players receive it, without the origin's wrapping. If the cached file has no wrapping, it's
    /// copied. After an error, the folder doesn't contain the part.
    ///
    /// - Returns: The length, and whether the bytes are the origin's.
    /// - Throws: `inputOutput` only if the part can't be read, so that it counts as missing.
    func write(to draft: FolderDraft) throws(ContainerError) -> (length: Int64, isUnchanged: Bool) {
        let cached = try cachedResource()
        if let cached, let file = try cachedFile(cached) {
            do {
                return (try draft.copy(file, to: part.name), true)
            } catch {
                throw Self.unwritable(error)
            }
        }
        let url = source.baseURL + part.name
        // Bytes between the ranges don't belong to the asset and may be missing.
        if cached == nil, let ranges { return (try write(ranges, from: url, to: draft), false) }
        let bytes = try GatewaySource(url, gateway: gateway, control: control, progress: progress)
        try fill(draft) { (file) throws(ContainerError) in
            var offset: Int64 = 0
            while offset < bytes.length {
                let piece = try bytes.bytes(
                    offset..<min(bytes.length, offset + BundlePartRanges.pieceLength),
                    limit: Int(BundlePartRanges.pieceLength))
                try Self.write(piece, at: offset, to: file)
                offset += Int64(piece.count)
            }
        }
        return (bytes.length, cached?.length == bytes.length)
    }

    private func write(
        _ ranges: BundlePartRanges, from url: String, to draft: FolderDraft
    ) throws(ContainerError) -> Int64 {
        var length: Int64 = 0
        try fill(draft) { (file) throws(ContainerError) in
            length = try ranges.copy(to: file) { (range) throws(ContainerError) in
                do {
                    let (gateway, limit) = (gateway, Int(range.upperBound - range.lowerBound))
                    let piece = try control.wait { try await gateway.read(url, range: range, limit: limit) }
                    progress?.add(Int64(piece.bytes.count))
                    return piece
                } catch {
                    throw ContainerError(
                        .inputOutput, "the part can't be read from the cache", at: range.lowerBound, cause: error)
                }
            }
        }
        return length
    }

    private func fill(_ draft: FolderDraft, _ body: (FileSink) throws(ContainerError) -> Void) throws(ContainerError) {
        let file: FileSink
        do {
            file = try draft.file(part.name)
        } catch {
            throw Self.unwritable(error)
        }
        do throws(ContainerError) {
            try body(file)
        } catch {
            draft.remove(part.name)
            throw error
        }
    }

    /// Writes bytes of a part. Throws `unsupported`, because `inputOutput` means that the part is missing.
    static func write(_ bytes: [UInt8], at offset: Int64, to file: FileSink) throws(ContainerError) {
        var failure: ContainerError?
        bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            do throws(ContainerError) { try file.write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw unwritable(failure) }
    }

    private static func unwritable(_ error: any Error) -> ContainerError {
        ContainerError(.unsupported, "the part can't be written to the folder", cause: error)
    }

    /// Returns the cached resource of the part. Returns nil for parts that belong to a single user, which can't be
    /// found by URL, and for recorded parts, because another segment may have the same URL by now.
    private func cachedResource() throws(ContainerError) -> CachedResource? {
        guard !source.withCredentials, part.storedAs == nil else { return nil }
        do {
            let (gateway, url) = (gateway, try ResourceURL(part.url))
            return try control.wait { try await gateway.cachedResource(at: url) }
        } catch {
            throw ContainerError(.inputOutput, "the part can't be looked up in the cache", cause: error)
        }
    }

    /// Returns the path of the cached file; nil if players receive other content.
    private func cachedFile(_ resource: CachedResource) throws(ContainerError) -> String? {
        guard let path = resource.file else { return nil }
        guard part.role == .mediaSegment || part.role == .initializationSection, part.range == nil else { return path }
        guard let file = try? FileSource(path: path) else { return nil }
        return try UnwrappedSource(file, isEncrypted: part.isEncrypted).wrapping == .none ? path : nil
    }
}

/// The byte ranges of a resource that belong to an asset, such as segments stored in one file.
struct BundlePartRanges: Equatable {
    static let pieceLength: Int64 = 1 << 20

    /// The ranges in order. They neither overlap nor touch.
    let ranges: [Range<Int64>]

    /// Creates the ranges of all parts with one name; nil if a part is the whole resource.
    init?(of parts: [AssetPart]) {
        var map = SpanMap()
        for part in parts {
            guard let range = part.range else { return nil }
            map.insert(range)
        }
        ranges = Array(map.spans)
    }

    /// Writes the ranges at their offsets. The file is as long as the resource, so that the byte ranges in playlists
    /// stay valid.
    ///
    /// - Parameter read: A function that returns the bytes of a range. It may return fewer bytes, but at least one.
    /// - Returns: The length of the file.
    /// - Throws: `inputOutput` only if bytes are missing or the resource has changed.
    func copy(
        to file: FileSink, read: (Range<Int64>) throws(ContainerError) -> FetchedBytes
    ) throws(ContainerError) -> Int64 {
        var length: Int64 = 0
        var entityTag: String?
        for range in ranges {
            var offset = range.lowerBound
            while offset < range.upperBound {
                let piece = try read(offset..<min(range.upperBound, offset + Self.pieceLength))
                guard !piece.bytes.isEmpty, piece.offset == offset, entityTag == nil || piece.entityTag == entityTag
                else { throw ContainerError(.inputOutput, "the resource changed while it was being read", at: offset) }
                try BundlePart.write(piece.bytes, at: offset, to: file)
                entityTag = piece.entityTag
                offset += Int64(piece.bytes.count)
                length = max(length, piece.completeLength ?? 0, offset)
            }
        }
        let end = ranges.last?.upperBound ?? 0
        if length > end { try BundlePart.write([0], at: length - 1, to: file) }
        return length
    }
}
