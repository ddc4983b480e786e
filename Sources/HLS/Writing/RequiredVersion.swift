extension MediaPlaylist {
    /// The lowest protocol version that the content needs (RFC 8216bis, section 8).
    public var requiredVersion: Int {
        var version = variables.map(\.requiredVersion).max() ?? 1
        if let skip { version = max(version, skip.recentlyRemovedDateRanges.isEmpty ? 9 : 10) }
        if hasIFramesOnly { version = max(version, 4) }
        var previous = MediaSegment(uri: "", duration: .zero)
        for segment in segments {
            if segment.duration.fractionDigits > 0 { version = max(version, 3) }
            if segment.byteRange != nil { version = max(version, 4) }
            version = max(version, requiredVersion(of: segment, after: previous))
            previous = segment
        }
        if let upcoming { version = max(version, requiredVersion(of: upcoming, after: previous)) }
        return version
    }

    /// Keys and maps are looked at where they change.
    private func requiredVersion(of segment: MediaSegment, after previous: MediaSegment) -> Int {
        var version = 1
        if segment.keys != previous.keys { version = segment.keys.map(\.requiredVersion).max() ?? 1 }
        if !segment.hasSameMap(as: previous), let map = segment.map {
            version = max(version, hasIFramesOnly ? 5 : 6, map.keys.map(\.requiredVersion).max() ?? 1)
        }
        return version
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
