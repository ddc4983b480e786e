package import MediaCache
internal import MediaContainers

/// A recording store in a cache folder. It stores media as pinned resources, and other files next to the catalog.
package struct CacheRecordingStore: RecordingStore {
    private let store: CacheStore
    private let parts: PartFetch

    package init(_ store: CacheStore) {
        self.store = store
        parts = PartFetch(store: store)
    }

    private func folder(of recording: RecordingID) -> SideFolder { store.sideFolder("recordings/\(recording)") }

    package func files(of recording: RecordingID) async throws -> [String] { try await folder(of: recording).names() }

    package func read(_ names: [String], of recording: RecordingID) async throws -> [[UInt8]?] {
        try await folder(of: recording).contents(of: names)
    }

    package func write(_ bytes: [UInt8], as name: String, of recording: RecordingID) async throws {
        try await folder(of: recording).write(bytes, to: name)
    }

    package func removeFiles(_ names: [String], of recording: RecordingID) async throws {
        for name in names { try await folder(of: recording).remove(name) }
    }

    package func fetch(
        _ part: AssetPart, settings: TransferSettings, group: TransferGroup
    ) async throws -> FetchedPart {
        var request = try part.request(settings: settings)
        request.transferClass = .recording
        request.pins = true
        request.group = group
        let info = try await parts.fill(part, request)
        let length = part.range.map { Int64($0.count) } ?? info.length ?? info.bytesCached
        switch try await parts.check(part, request, info) {
        case .valid:
            return FetchedPart(
                length: length, isWrapped: false,
                firstFrameLength: try await firstFrameLength(of: part, request, length))
        case .validWithNote: return FetchedPart(length: length, isWrapped: true)
        case .playlist: throw CacheError(.notMedia, "\(part.url) is a playlist instead of media")
        }
    }

    /// The maximum number of bytes searched for the end of the first frame.
    private static let maximumFrontLength: Int64 = 1 << 20

    private func firstFrameLength(of part: AssetPart, _ request: ReadRequest, _ length: Int64) async throws -> Int64 {
        guard part.role == .mediaSegment, !part.isEncrypted, part.range == nil, part.name.hasSuffix(".ts") else {
            return 0
        }
        let front = try await parts.front(of: part, request, length: min(length, Self.maximumFrontLength))
        let found = front.withUnsafeBytes {
            TransportStreamFront.lengthToFirstFrame($0, isWhole: Int64($0.count) == length)
        }
        return Int64(found ?? 0)
    }

    package func receivedBytes(of part: AssetPart) async -> Int64 {
        guard let request = try? part.request(settings: store.transfers.withoutOriginRequests),
            let coverage = try? await store.coverage(of: [request]).first
        else { return 0 }
        return coverage?.bytesCached ?? 0
    }

    package func commit() async throws { try await store.commit() }

    package func removeParts(_ names: [String]) async throws { _ = try await store.remove(keys: names) }

    package func removeAllParts(of recording: RecordingID) async throws {
        _ = try await store.remove(keysWithPrefix: recording.storedFolder)
    }

    package func freeBytes() async throws -> Int64 { try await store.freeBytes() }
}
