import HLS

/// A playlist as JSON in the form of python-m3u8.
struct GlobocomTree {
    let playlist: Playlist

    var json: JSONValue {
        switch playlist {
        case .media(let playlist): media(playlist)
        case .multivariant(let playlist): multivariant(playlist)
        }
    }

    /// Returns attributes under lower-case names, quoted where python-m3u8 preserves the quotes.
    private static func attributes(
        _ list: AttributeList, numbers: Set<String>, quotes: Set<String> = []
    ) -> [String: JSONValue] {
        var tree: [String: JSONValue] = [:]
        for attribute in list.attributes {
            let name = attribute.name.rawValue.lowercased().map { $0 == "-" ? "_" : String($0) }.joined()
            if numbers.contains(name) {
                tree[name] = JSONValue(list.decimal(attribute.name)?.doubleValue)
            } else {
                let isQuoted = quotes.contains(name) || name.hasPrefix("x_")
                tree[name] = .string(isQuoted ? attribute.value.description : attribute.value.text)
            }
        }
        return tree
    }

    static func tree(_ list: AttributeList, numbers: Set<String> = []) -> JSONValue {
        .object(attributes(list, numbers: numbers))
    }

    static func dateRange(_ range: DateRange) -> JSONValue {
        tree(range.attributes, numbers: ["duration", "planned_duration"])
    }

    // MARK: - Multivariant playlists

    private func multivariant(_ playlist: MultivariantPlaylist) -> JSONValue {
        let images = playlist.unknownTags.filter { $0.name == "EXT-X-IMAGE-STREAM-INF" }
        return .members([
            "is_variant": .bool(true), "version": JSONValue(playlist.version),
            "is_independent_segments": .bool(playlist.hasIndependentSegments),
            "playlists": .array(
                playlist.variants.map { .object(["uri": .string($0.uri), "stream_info": stream($0.attributes)]) }),
            "iframe_playlists": .array(
                playlist.iFrameStreams.map {
                    .object(["uri": .string($0.uri), "iframe_stream_info": stream($0.attributes)])
                }),
            "image_playlists": .array(
                images.map(\.attributes).map {
                    .object(["uri": JSONValue($0.text("URI")), "image_stream_info": stream($0)])
                }),
            "media": .array(playlist.renditions.map { Self.tree($0.attributes) }),
            "session_data": .array(playlist.sessionData.map { Self.tree($0.attributes) }),
            "session_keys": .array(playlist.sessionKeys.map { Self.tree($0.attributes) }),
            "content_steering": playlist.contentSteering.map { Self.tree($0.attributes) } ?? .null,
        ])
    }

    private func stream(_ list: AttributeList) -> JSONValue {
        var tree = Self.attributes(
            list, numbers: ["program_id", "frame_rate"], quotes: ["closed_captions", "req_video_layout"])
        for name in ["bandwidth", "average_bandwidth"] where tree[name] != nil {
            tree[name] = JSONValue(list.integer(name == "bandwidth" ? "BANDWIDTH" : "AVERAGE-BANDWIDTH"))
        }
        return .members(tree)
    }

    // MARK: - Media playlists

    private func media(_ playlist: MediaPlaylist) -> JSONValue {
        let unknown = playlist.allUnknownTags
        let keys = playlist.segments.reduce(into: [[EncryptionKey]]()) { sets, segment in
            if sets.last != segment.keys { sets.append(segment.keys) }
        }
        /// Returns the attributes of an optional tag.
        func optional(_ list: AttributeList?, numbers: Set<String>) -> JSONValue {
            list.map { Self.tree($0, numbers: numbers) } ?? .null
        }
        func unknownTags(_ name: String) -> [UnknownTag] { unknown.filter { $0.name == name } }
        let movie = unknownTags("EXT-X-MOVIE").last?.value?.split(separator: ":").last.map(String.init)
        let keyTrees: [JSONValue] = keys.map { optional($0.first?.attributes, numbers: []) }
        let sessionKeys: [JSONValue] = unknownTags("EXT-X-SESSION-KEY").map { Self.tree($0.attributes) }
        let tiles: [JSONValue] = unknownTags("EXT-X-TILES").map { Self.tree($0.attributes, numbers: ["duration"]) }
        let reports: [JSONValue] = playlist.renditionReports.map {
            Self.tree($0.attributes, numbers: ["last_msn", "last_part"])
        }
        let maps: [JSONValue] = playlist.maps.map { Self.tree($0.attributes) }
        return .members([
            "is_variant": .bool(false), "version": JSONValue(playlist.version),
            "targetduration": JSONValue(playlist.targetDuration), "media_sequence": JSONValue(playlist.mediaSequence),
            "discontinuity_sequence": JSONValue(playlist.discontinuitySequence),
            "is_endlist": .bool(playlist.hasEndList), "is_i_frames_only": .bool(playlist.hasIFramesOnly),
            "is_independent_segments": .bool(playlist.hasIndependentSegments),
            "is_images_only": .bool(!unknownTags("EXT-X-IMAGES-ONLY").isEmpty),
            "playlist_type": JSONValue(playlist.type?.rawValue.lowercased()),
            "allow_cache": JSONValue(unknownTags("EXT-X-ALLOW-CACHE").last?.value?.lowercased()),
            "movie": JSONValue(movie), "keys": .array(keyTrees), "session_keys": .array(sessionKeys),
            "segment_map": .array(maps),
            "start": optional(playlist.start?.attributes, numbers: ["time_offset"]),
            "server_control": optional(
                playlist.serverControl?.attributes, numbers: ["can_skip_until", "hold_back", "part_hold_back"]),
            "part_inf": optional(playlist.partInformation?.attributes, numbers: ["part_target"]),
            "skip": optional(playlist.skip?.attributes, numbers: ["skipped_segments"]),
            "preload_hint": optional(
                playlist.preloadHints.last?.attributes, numbers: ["byterange_start", "byterange_length"]),
            "rendition_reports": .array(reports),
            "segments": .array(GlobocomSegments(playlist: playlist).json),
            "tiles": .array(tiles),
        ])
    }
}
