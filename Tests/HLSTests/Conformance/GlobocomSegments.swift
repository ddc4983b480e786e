import HLS

/// The segments of a media playlist as JSON in the form of python-m3u8, which tracks ad cues across segments.
struct GlobocomSegments {
    let playlist: MediaPlaylist

    private struct CueState {
        var isOut = false
        var scte35: String?
        var duration: String?
        var elapsed: String?
    }

    var json: [JSONValue] {
        var cues = CueState()
        var bitrate: Int?
        var trees = zip(playlist.segments, playlist.resolvedSegments).map { segment, resolved in
            bitrate = segment.bitrate ?? bitrate
            var tree = self.segment(segment)
            tree["media_sequence"] = JSONValue(resolved.mediaSequence)
            tree["bitrate"] = JSONValue(bitrate)
            apply(segment.cues, &cues, &tree)
            return JSONValue.members(tree)
        }
        if let upcoming = playlist.upcoming, !upcoming.tags.isEmpty { trees.append(.members(segment(upcoming))) }
        return trees
    }

    private func segment(_ segment: MediaSegment) -> [String: JSONValue] {
        [
            "uri": .string(segment.uri), "duration": JSONValue(segment.duration.doubleValue),
            "title": .string(segment.title), "byterange": JSONValue(segment.byteRange?.description),
            "key": segment.keys.first.map { GlobocomTree.tree($0.attributes) } ?? .null,
            "init_section": segment.map.map { GlobocomTree.tree($0.attributes) } ?? .null,
            "discontinuity": .bool(segment.isDiscontinuous), "gap_tag": segment.isGap ? .bool(true) : .null,
            "program_date_time": JSONValue(segment.programDateTime?.text), "parts": .array(parts(segment)),
            "dateranges": .array(segment.dateRanges.map(GlobocomTree.dateRange)),
            "custom_parser_values": custom(segment),
        ]
    }

    private func parts(_ segment: MediaSegment) -> [JSONValue] {
        var parts: [JSONValue] = []
        var ranges: [JSONValue] = []
        for tag in segment.tags {
            switch tag {
            case .dateRange(let range): ranges.append(GlobocomTree.dateRange(range))
            case .part(let part):
                parts.append(
                    .members([
                        "uri": .string(part.uri), "duration": JSONValue(part.duration.doubleValue),
                        "byterange": JSONValue(part.byteRange?.description),
                        "gap": JSONValue(part.attributes.text("GAP")), "dateranges": .array(ranges),
                    ]))
                ranges = []
            default: break
            }
        }
        return parts
    }

    /// Returns the values that python-m3u8's tests extract from IPTV lists with custom parsers.
    private func custom(_ segment: MediaSegment) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for case .durationParameters(let text) in segment.tags {
            for item in text.split(separator: "\" ") {
                let parts = item.split(separator: "=", maxSplits: 1)
                properties[String(parts[0])] = .string(parts[1].filter { $0 != "\"" })
            }
        }
        let unknown = playlist.unknownTags + segment.unknownTags
        return .members([
            "extinf_props": .object(properties), "extgrp": JSONValue(unknown.first { $0.name == "EXTGRP" }?.value),
            "vlcopt": .array(unknown.filter { $0.name == "EXTVLCOPT" }.map { JSONValue($0.value) }),
        ])
    }

    private func apply(_ tags: [AdvertisementCue], _ state: inout CueState, _ tree: inout [String: JSONValue]) {
        var starts = false
        var ends = false
        for cue in tags {
            state.scte35 = cue.scte35 ?? state.scte35
            switch cue.tag {
            case .cueOut:
                starts = true
                state.isOut = true
                let first = cue.value?.split(separator: ",").first.map { String($0) }
                state.duration =
                    cue.attributes.text("DURATION") ?? cue.attributes.text("Duration") ?? first ?? state.duration
            case .cueOutContinued:
                state.isOut = true
                state.elapsed = cue.elapsedTime?.description ?? state.elapsed
                state.duration = cue.duration?.description ?? state.duration
            case .cueIn:
                ends = true
                state.isOut = false
            default: break
            }
        }
        tree["cue_out_start"] = .bool(starts)
        tree["cue_in"] = .bool(ends)
        tree["cue_out"] = .bool(state.isOut)
        tree["scte35"] = JSONValue(state.scte35)
        tree["scte35_duration"] = JSONValue(state.duration)
        tree["scte35_elapsedtime"] = JSONValue(state.elapsed)
        if ends { state = CueState() }
    }
}
