extension MediaPlaylist {
    /// The lowest protocol version that the content requires (RFC 8216bis §8).
    public var requiredVersion: Int {
        var version = common.requiredVersion
        for tag in PlaylistTag.allCases {
            if case .mediaPlaylist(let field, _) = tag.definition.place {
                version = max(version, field.requiredVersion(self, tag))
            }
        }
        var hasFractions = false
        var hasByteRanges = false
        var conditions: SegmentConditions?
        for segment in segments {
            hasFractions = hasFractions || segment.duration.fractionDigits > 0
            hasByteRanges = hasByteRanges || segment.hasByteRange
            if segment.conditions !== conditions {
                conditions = segment.conditions
                version = max(version, requiredVersion(of: conditions))
            }
        }
        return max(version, hasByteRanges ? 4 : hasFractions ? 3 : 1, requiredVersion(of: upcoming?.conditions))
    }

    private func requiredVersion(of conditions: SegmentConditions?) -> Int {
        guard let conditions else { return 1 }
        let keys = conditions.keys + (conditions.map?.keys ?? [])
        let version = keys.map(\.requiredVersion).max() ?? 1
        return conditions.map == nil ? version : max(version, hasIFramesOnly ? 5 : 6)
    }
}

extension MultivariantPlaylist {
    /// The lowest protocol version that the content requires (RFC 8216bis §8).
    public var requiredVersion: Int { entries.reduce(common.requiredVersion) { max($0, $1.requiredVersion) } }
}

extension CommonTags {
    fileprivate var requiredVersion: Int {
        PlaylistTag.allCases.reduce(1) { version, tag in
            guard case .anyPlaylist(let field) = tag.definition.place else { return version }
            return max(version, field.requiredVersion(self, tag))
        }
    }
}
