import Foundation
import HLS

/// A playlist as JSON in the form of m3u8-parser.
struct VideoJSTree {
    let parsed: ParsedPlaylist

    var json: JSONValue {
        switch parsed.playlist {
        case .media(let playlist): media(playlist)
        case .multivariant(let playlist): multivariant(playlist)
        }
    }

    /// Returns the value of EXT-X-ALLOW-CACHE, which version 7 of the protocol removed.
    private func allowsCache(_ tags: [UnknownTag]) -> JSONValue {
        .bool(tags.last { $0.name == "EXT-X-ALLOW-CACHE" }?.value != "NO")
    }

    // MARK: - Multivariant playlists

    private func multivariant(_ playlist: MultivariantPlaylist) -> JSONValue {
        var tree: [String: JSONValue] = [
            "allowCache": allowsCache(playlist.unknownTags), "dateRanges": .array([]),
            "discontinuityStarts": .array([]), "segments": .array([]), "version": JSONValue(playlist.version),
            "independentSegments": playlist.hasIndependentSegments ? .bool(true) : .null,
            "iFramePlaylists": .array(playlist.iFrameStreams.map { stream($0.attributes, $0.uri, isIFrame: true) }),
        ]
        if !playlist.variants.isEmpty {
            tree["playlists"] = .array(playlist.variants.map { stream($0.attributes, $0.uri, isIFrame: false) })
            tree["mediaGroups"] = groups(playlist)
        }
        return .members(tree)
    }

    private func stream(_ attributes: AttributeList, _ uri: String, isIFrame: Bool) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for attribute in attributes.attributes {
            let name = attribute.name.rawValue
            switch name {
            case "BANDWIDTH", "PROGRAM-ID": members[name] = JSONValue(attributes.integer(attribute.name))
            case "AVERAGE-BANDWIDTH" where isIFrame: members[name] = JSONValue(attributes.integer(attribute.name))
            case "FRAME-RATE": members[name] = JSONValue(attributes.decimal(attribute.name)?.doubleValue)
            case "RESOLUTION":
                let resolution = attributes.resolution(attribute.name)
                members[name] = .members([
                    "width": JSONValue(resolution?.width), "height": JSONValue(resolution?.height),
                ])
            default: members[name] = .string(attribute.value.text)
            }
        }
        return .members([
            "attributes": members.isEmpty ? .null : .object(members), "timeline": .number(0), "uri": .string(uri),
        ])
    }

    private func groups(_ playlist: MultivariantPlaylist) -> JSONValue {
        var groups: [String: JSONValue] = [:]
        for type in RenditionType.allCases {
            var byID: [String: [String: JSONValue]] = [:]
            for rendition in playlist.renditions where rendition.type == type {
                let characteristics = rendition.attributes.text("CHARACTERISTICS")
                byID[rendition.groupID, default: [:]][rendition.name] = .members([
                    "default": .bool(rendition.isDefault), "language": JSONValue(rendition.language),
                    // m3u8-parser sets autoselect for every default rendition.
                    "autoselect": .bool(rendition.isAutoselect || rendition.isDefault), "uri": JSONValue(rendition.uri),
                    "instreamId": JSONValue(rendition.instreamID), "characteristics": JSONValue(characteristics),
                    "forced": rendition.attributes.flag("FORCED").map { .bool($0) } ?? .null,
                ])
            }
            groups[type.rawValue] = .object(byID.mapValues { .object($0) })
        }
        return .object(groups)
    }

    // MARK: - Media playlists

    private func media(_ playlist: MediaPlaylist) -> JSONValue {
        let unknown = playlist.allUnknownTags
        let isEmpty = playlist.segments.isEmpty && playlist.upcoming == nil && playlist.targetDuration == nil
        var tree: [String: JSONValue] = [
            "allowCache": allowsCache(unknown), "iFramePlaylists": .array([]), "segments": segments(playlist),
            "dateRanges": .array([]), "version": JSONValue(playlist.version),
            "targetDuration": JSONValue(playlist.targetDuration), "playlistType": JSONValue(playlist.type?.rawValue),
            "endList": playlist.hasEndList ? .bool(true) : .null,
            "iFramesOnly": playlist.hasIFramesOnly ? .bool(true) : .null,
            "independentSegments": playlist.hasIndependentSegments ? .bool(true) : .null,
            "discontinuityStarts": .array(
                playlist.segments.indices.filter { playlist.segments[$0].isDiscontinuous }.map { JSONValue($0) }),
        ]
        if !isEmpty {
            tree["mediaSequence"] = JSONValue(playlist.mediaSequence)
            tree["discontinuitySequence"] = JSONValue(playlist.discontinuitySequence)
        }
        if let start = playlist.start {
            tree["start"] = .object([
                "timeOffset": JSONValue(start.timeOffset.doubleValue), "precise": .bool(start.isPrecise),
            ])
        }
        lowLatency(playlist, &tree)
        if let date = playlist.segments.lazy.compactMap(\.programDateTime).first { self.date(date, &tree) }
        return .members(tree)
    }

    private func lowLatency(_ playlist: MediaPlaylist, _ tree: inout [String: JSONValue]) {
        if let information = playlist.partInformation {
            tree["partInf"] = .object(["partTarget": JSONValue(information.partTarget.doubleValue)])
            tree["partTargetDuration"] = JSONValue(information.partTarget.doubleValue)
        }
        if let control = playlist.serverControl {
            tree["serverControl"] = .members([
                "canBlockReload": .bool(control.canBlockReload), "canSkipDateranges": .bool(control.canSkipDateRanges),
                "canSkipUntil": JSONValue(control.canSkipUntil?.doubleValue),
                "holdBack": JSONValue(control.holdBack?.doubleValue),
                "partHoldBack": JSONValue(control.partHoldBack?.doubleValue),
            ])
        }
        if let skip = playlist.skip {
            let removed = skip.recentlyRemovedDateRanges.map { JSONValue.string($0) }
            tree["skip"] = .members([
                "skippedSegments": JSONValue(skip.count),
                "recentlyRemovedDateranges": removed.isEmpty ? .null : .array(removed),
            ])
        }
        if !playlist.renditionReports.isEmpty {
            tree["renditionReports"] = .array(
                playlist.renditionReports.map {
                    .members([
                        "uri": .string($0.uri), "lastMsn": JSONValue($0.lastMediaSequence),
                        "lastPart": JSONValue($0.lastPart),
                    ])
                })
        }
        if playlist.upcoming?.parts.isEmpty == false || !playlist.preloadHints.isEmpty {
            let discontinuities = playlist.segments.filter(\.isDiscontinuous).count
            tree["preloadSegment"] = .members([
                "timeline": JSONValue(playlist.discontinuitySequence + discontinuities),
                "preloadHints": .array(playlist.preloadHints.map(hint)),
                "map": playlist.segments.last?.map.map { map($0) } ?? .null,
                "parts": parts(playlist.upcoming?.parts ?? []),
            ])
        }
    }

    private func hint(_ hint: PreloadHint) -> JSONValue {
        var range = JSONValue.null
        if let length = hint.byteRangeLength {
            range = .object(["length": JSONValue(length), "offset": JSONValue(hint.byteRangeStart ?? 0)])
        }
        return .members(["type": .string(hint.type), "uri": .string(hint.uri), "byterange": range])
    }

    private func segments(_ playlist: MediaPlaylist) -> JSONValue {
        let missing = Set(parsed.diagnostics.filter { $0.rule.description == "4.4.4.1-missing" }.map(\.line))
        return .array(
            playlist.resolvedSegments.enumerated().map { index, resolved in
                let segment = resolved.segment
                var tree: [String: JSONValue] = [
                    "uri": .string(segment.uri), "duration": JSONValue(segment.duration.doubleValue),
                    "timeline": JSONValue(resolved.discontinuitySequence),
                    "title": segment.title.isEmpty ? .null : .string(segment.title),
                    "discontinuity": segment.isDiscontinuous ? .bool(true) : .null,
                    "byterange": range(resolved.byteRange), "key": key(segment.keys),
                    "map": segment.map.map { map($0) } ?? .null, "parts": parts(segment.parts),
                ]
                // m3u8-parser omits the duration if both the EXTINF and the target duration are missing.
                if segment.duration == .zero, !missing.isEmpty { tree["duration"] = .null }
                if let date = segment.programDateTime { self.date(date, &tree) }
                tree["programDateTime"] = JSONValue(
                    resolved.programDateTime?.nanosecondsSinceEpoch.map { Double($0) / 1e6 })
                return .members(tree)
            })
    }

    private func date(_ date: DateTime, _ tree: inout [String: JSONValue]) {
        tree["dateTimeString"] = .string(date.text)
        tree["dateTimeObject"] = JSONValue(
            date.nanosecondsSinceEpoch.map { DateTime(nanosecondsSinceEpoch: $0).text })
    }

    private func range(_ range: Range<Int>?) -> JSONValue {
        range.map { .object(["length": JSONValue($0.count), "offset": JSONValue($0.lowerBound)]) } ?? .null
    }

    private func key(_ keys: [EncryptionKey]) -> JSONValue {
        guard let key = keys.first, key.method != .none else { return .null }
        let words = key.iv.map { iv in
            stride(from: 0, to: iv.bytes.count, by: 4).map { start in
                JSONValue(iv.bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) })
            }
        }
        return .members([
            "method": .string(key.method.rawValue), "uri": JSONValue(key.uri),
            "iv": words.map { .object(["typedArray": .string("Uint32Array"), "values": .array($0)]) } ?? .null,
        ])
    }

    private func map(_ map: MediaInitializationSection) -> JSONValue {
        let range = map.byteRange.map { ($0.offset ?? 0)..<(($0.offset ?? 0) + $0.length) }
        return .members(["uri": .string(map.uri), "byterange": self.range(range), "key": key(map.keys)])
    }

    private func parts(_ parts: [PartialSegment]) -> JSONValue {
        if parts.isEmpty { return .null }
        var ranges = PartByteRanges()
        return .array(
            parts.map { part in
                .members([
                    "uri": .string(part.uri), "duration": JSONValue(part.duration.doubleValue),
                    "independent": part.isIndependent ? .bool(true) : .null, "gap": part.isGap ? .bool(true) : .null,
                    "byterange": range(ranges.next(part)),
                ])
            })
    }
}
