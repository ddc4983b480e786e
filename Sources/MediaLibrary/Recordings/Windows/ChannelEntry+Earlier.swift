import HLS

/// Tracks that a stream no longer lists. Past windows still contain them.
extension ChannelEntry {
    /// Returns an entry, extended by the variant streams and renditions that only an earlier entry lists.
    ///
    /// The renditions are added to the groups that the variant streams of their earlier group use now.
    static func adding(_ earlier: MultivariantPlaylist, to entry: MultivariantPlaylist) -> MultivariantPlaylist {
        let types: [(RenditionType, WritableKeyPath<VariantStream, String?>)] = [
            (.audio, \.audioGroup), (.video, \.videoGroup), (.subtitles, \.subtitlesGroup),
        ]
        let named = folders(in: entry)
        var variants = earlier.variants.filter { !named.contains(folder(of: $0.uri)) }
        var result = entry
        for (type, group) in types {
            let renditions = earlier.renditions.filter { $0.type == type && $0.uri != nil }
            let usedIDs = Set(entry.renditions.filter { $0.type == type }.map(\.groupID))
            for id in Set(renditions.map(\.groupID)).sorted() {
                let members = renditions.filter { $0.groupID == id }
                let dropped = members.filter { !named.contains(folder(of: $0.uri ?? "")) }
                let users = Set(earlier.variants.filter { $0[keyPath: group] == id }.map { folder(of: $0.uri) })
                var groups: [String] = []
                for index in result.entries.indices {
                    guard case .variant(var variant) = result.entries[index], users.contains(folder(of: variant.uri))
                    else { continue }
                    if variant[keyPath: group] == nil, !dropped.isEmpty {
                        variant[keyPath: group] = usedIDs.contains(id) ? id + "-earlier" : id
                        result.entries[index] = .variant(variant)
                    }
                    if let own = variant[keyPath: group], !groups.contains(own) { groups.append(own) }
                }
                if groups.isEmpty {
                    let folders = Set(members.map { folder(of: $0.uri ?? "") })
                    let successors = entry.renditions.filter { rendition in
                        rendition.type == type && rendition.uri.map { folders.contains(folder(of: $0)) } ?? false
                    }
                    groups = [successors.first?.groupID ?? id]
                }
                for index in variants.indices where variants[index][keyPath: group] == id {
                    variants[index][keyPath: group] = groups[0]
                }
                for rendition in dropped {
                    for group in groups { result.join(rendition, group) }
                }
            }
        }
        result.entries += variants.map { .variant($0) }
        return result
    }
}

extension MultivariantPlaylist {
    /// Adds a rendition to a group, which has unique names and at most one default (RFC 8216bis §4.4.6.1.1).
    fileprivate mutating func join(_ rendition: Rendition, _ group: String) {
        let members = renditions.filter { $0.type == rendition.type && $0.groupID == group }
        guard !members.contains(where: { $0.uri == rendition.uri }) else { return }
        var rendition = rendition
        rendition.groupID = group
        while members.contains(where: { $0.name == rendition.name }) { rendition.name += " (earlier)" }
        if rendition.isDefault, members.contains(where: \.isDefault) {
            rendition.isDefault = false
            rendition.isAutoselect = true
        }
        entries.append(.rendition(rendition))
    }
}
