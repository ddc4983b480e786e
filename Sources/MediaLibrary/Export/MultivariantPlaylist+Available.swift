internal import HLS

extension MultivariantPlaylist {
    /// Leaves out the variant streams and the renditions whose playlists aren't available, where others are.
    ///
    /// A variant stream plays where something plays of each group of sound or pictures that it names.
    mutating func keep(_ isAvailable: (String) -> Bool) {
        // One without a playlist of its own is in the variant.
        func isAvailableIn(_ rendition: Rendition) -> Bool { rendition.uri.map(isAvailable) ?? true }
        func name(_ type: RenditionType?, _ group: String) -> String { "\(type?.rawValue ?? "") \(group)" }
        let groups = Set(renditions.map { name($0.type, $0.groupID) })
        let saved = Set(renditions.filter(isAvailableIn).map { name($0.type, $0.groupID) })
        let lost = groups.subtracting(saved)
        func plays(_ variant: VariantStream) -> Bool {
            let needed = [
                variant.audioGroup.map { name(.audio, $0) }, variant.videoGroup.map { name(.video, $0) },
            ]
            return isAvailable(variant.uri) && needed.allSatisfy { $0.map(lost.contains) != true }
        }
        let somePlay = variants.contains(where: plays)
        let someAreThere = variants.contains { isAvailable($0.uri) }
        entries.removeAll { entry in
            switch entry {
            case .variant(let variant): somePlay ? !plays(variant) : someAreThere && !isAvailable(variant.uri)
            case .rendition(let rendition):
                saved.contains(name(rendition.type, rendition.groupID)) && !isAvailableIn(rendition)
            default: false
            }
        }
    }
}
