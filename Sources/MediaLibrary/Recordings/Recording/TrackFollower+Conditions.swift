import HLS
internal import MediaCache

/// Keys and media initialization sections.
extension TrackFollower {
    /// The number of recent companions that are compared with a new one.
    private static let companionsRemembered = 8
    /// The number of common segments of two loads that are compared to find changed links.
    private static let segmentsCompared = 50

    /// The keys and section of the last segment as listed by the origin, and in recorded form.
    struct CachedConditions: Sendable {
        var keys: [EncryptionKey]
        var map: MediaInitializationSection?
        /// Whether the recorded number equals the origin's media sequence number.
        var isAligned: Bool
        var local: RecordedConditions
    }

    /// Forgets the known sections at a discontinuity, since a restarted encoder may overwrite its section.
    mutating func forgetSections() {
        companions.removeAll { $0.role == .initializationSection }
        conditions = nil
    }

    mutating func localConditions(_ resolved: ResolvedSegment, isAligned: Bool) -> RecordedConditions {
        let segment = resolved.segment
        if let conditions, conditions.keys == segment.keys, conditions.map == segment.map,
            isAligned && conditions.isAligned || !segment.keys.contains(where: \.usesImplicitVector)
        {
            return conditions.local
        }
        var local = RecordedConditions()
        local.keys = segment.keys.map { localKey($0, resolved, isAligned, &local) }
        if var map = segment.map {
            let range = Self.range(of: map)
            map.keys = map.keys.map { localKey($0, resolved, true, &local) }
            if let url = try? ResourceURL(map.uri) {
                let companion = companion(.initializationSection, map.uri, range) { number in
                    "init-\(number).\(["m4s", "m4v", "m4a"].contains(url.pathExtension) ? url.pathExtension : "mp4")"
                }
                local.companions.append(companion)
                map.uri = companion.name
                map.byteRange = nil
            }
            local.map = map
        }
        conditions = CachedConditions(keys: segment.keys, map: segment.map, isAligned: isAligned, local: local)
        return local
    }

    private static func range(of map: MediaInitializationSection) -> Range<Int64>? {
        map.byteRange.map { range in
            let start = Int64(max(0, range.offset ?? 0))
            return start..<start.clampedSum(Int64(max(0, range.length)))
        }
    }

    private mutating func localKey(
        _ key: EncryptionKey, _ resolved: ResolvedSegment, _ isAligned: Bool, _ local: inout RecordedConditions
    ) -> EncryptionKey {
        var own = key
        if key.usesImplicitVector, !isAligned {
            own.iv = HexadecimalSequence(bytes: resolved.initializationVector(for: key))
        }
        guard let uri = key.uri, !key.isManagedByDRM, DataURL.bytes(of: uri) == nil,
            (try? ResourceURL(uri)) != nil
        else { return own }
        // The name has the suffix of a media file, because ffmpeg refuses to open keys with other suffixes.
        let companion = companion(.key, uri, nil) { "key-\($0).key.ts" }
        if !local.companions.contains(companion) { local.companions.append(companion) }
        own.uri = companion.name
        return own
    }

    private mutating func companion(
        _ role: AssetPart.Role, _ url: String, _ range: Range<Int64>?, name: (Int64) -> String
    ) -> RecordedConditions.Companion {
        if let known = companions.first(where: { $0.role == role && $0.url == url && $0.range == range }) {
            return known
        }
        let companion = RecordedConditions.Companion(
            number: nextCompanion, role: role, url: url, range: range, name: name(nextCompanion))
        nextCompanion += 1
        companions = companions.suffix(Self.companionsRemembered - 1) + [companion]
        return companion
    }

    // MARK: - Changed links

    /// Updates the links of known companions, because some servers put changing tokens into links.
    mutating func updateLinks(from known: MediaPlaylist, to playlist: MediaPlaylist) {
        guard !companions.isEmpty else { return }
        let start = max(known.firstMediaSequence, playlist.firstMediaSequence)
        let end = min(known.nextMediaSequence, playlist.nextMediaSequence)
        guard start < end else { return }
        for sequence in max(start, end - Self.segmentsCompared)..<end {
            let old = known.segments[sequence - known.firstMediaSequence]
            let new = playlist.segments[sequence - playlist.firstMediaSequence]
            guard old.keys != new.keys || old.map != new.map else { continue }
            updateKeyLinks(old.keys, new.keys)
            guard let before = old.map, let after = new.map, before.byteRange == after.byteRange else { continue }
            updateKeyLinks(before.keys, after.keys)
            updateLink(.initializationSection, before.uri, after.uri, Self.range(of: after))
        }
    }

    private mutating func updateKeyLinks(_ old: [EncryptionKey], _ new: [EncryptionKey]) {
        guard old.count == new.count else { return }
        for (old, new) in zip(old, new) where old.method == new.method && old.keyFormat == new.keyFormat {
            guard let before = old.uri, let after = new.uri else { continue }
            updateLink(.key, before, after, nil)
        }
    }

    private mutating func updateLink(_ role: AssetPart.Role, _ old: String, _ new: String, _ range: Range<Int64>?) {
        guard old != new, !companions.contains(where: { $0.role == role && $0.url == new && $0.range == range }),
            let index = companions.firstIndex(where: { $0.role == role && $0.url == old && $0.range == range })
        else { return }
        companions[index].url = new
    }

    /// Returns a row with the links that the playlist now lists for it; nil if the playlist no longer lists it.
    func refreshed(_ row: RecordedSegment) -> RecordedSegment? {
        guard let segment = listedSegment(row) else { return nil }
        var row = row
        row.url = segment.uri
        // Another copy may have other byte ranges.
        if let range = segment.byteRange {
            row.range = range.offset.map { Int64($0)..<Int64($0).clampedSum(Int64(max(0, range.length))) } ?? row.range
        } else {
            row.range = nil
        }
        row.scope = scope ?? row.scope
        guard !row.conditions.companions.isEmpty else { return row }
        var links: [String: String] = [:]
        let (own, ownMap) = (row.conditions.keys, row.conditions.map)
        for (own, key) in zip(own + (ownMap?.keys ?? []), segment.keys + (segment.map?.keys ?? [])) {
            if let name = own.uri, let url = key.uri { links[name] = url }
        }
        if let name = ownMap?.uri, let url = segment.map?.uri { links[name] = url }
        for index in row.conditions.companions.indices {
            guard let url = links[row.conditions.companions[index].name] else { continue }
            row.conditions.companions[index].url = url
        }
        return row
    }
}
