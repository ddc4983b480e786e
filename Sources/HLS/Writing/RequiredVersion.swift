extension MediaPlaylist {
    /// The lowest protocol version that the content needs (RFC 8216bis, section 8).
    public var requiredVersion: Int {
        var version = variables.map(\.requiredVersion).max() ?? 1
        if let skip { version = max(version, skip.recentlyRemovedDateRanges.isEmpty ? 9 : 10) }
        if hasIFramesOnly { version = max(version, 4) }
        var hasFractions = false
        var hasByteRanges = false
        var conditions: SegmentConditions?
        for segment in segments {
            hasFractions = hasFractions || segment.duration.fractionDigits > 0
            hasByteRanges = hasByteRanges || segment.hasByteRange
            // Keys and maps are looked at where they change.
            if segment.conditions !== conditions {
                conditions = segment.conditions
                version = max(version, requiredVersion(of: conditions))
            }
        }
        version = max(version, hasByteRanges ? 4 : hasFractions ? 3 : 1, requiredVersion(of: upcoming?.conditions))
        return version
    }

    private func requiredVersion(of conditions: SegmentConditions?) -> Int {
        guard let conditions else { return 1 }
        let keys = conditions.keys + (conditions.map?.keys ?? [])
        let version = keys.map(\.requiredVersion).max() ?? 1
        return conditions.map == nil ? version : max(version, hasIFramesOnly ? 5 : 6)
    }
}

extension MultivariantPlaylist {
    /// The lowest protocol version that the content needs (RFC 8216bis, section 8).
    public var requiredVersion: Int {
        let version = variables.map(\.requiredVersion).max() ?? 1
        return entries.reduce(version) { version, entry in
            switch entry {
            case .rendition(let rendition):
                let usesServices = rendition.instreamID?.hasPrefix("SERVICE") == true
                return max(version, usesServices ? 7 : 1, rendition.attributes.requiredVersion)
            case .variant(let variant): return max(version, variant.attributes.requiredVersion)
            case .iFrameStream(let stream): return max(version, stream.attributes.requiredVersion)
            case .sessionKey(let key): return max(version, key.requiredVersion)
            case .sessionData, .contentSteering, .unknown: return version
            }
        }
    }
}

extension VariableDefinition {
    fileprivate var requiredVersion: Int {
        if case .queryItem? = source { 11 } else { 8 }
    }
}

extension EncryptionKey {
    fileprivate var requiredVersion: Int {
        if method == .none { return 1 }
        if method != .aes128 || attributes[.keyFormat] != nil || attributes[.keyFormatVersions] != nil { return 5 }
        return attributes[.iv] != nil ? 2 : 1
    }
}

extension AttributeList {
    /// An attribute whose name begins with `REQ-` needs a client that knows the rule about such names.
    fileprivate var requiredVersion: Int {
        attributes.contains { $0.name.rawValue.hasPrefix("REQ-") } ? 12 : 1
    }
}
