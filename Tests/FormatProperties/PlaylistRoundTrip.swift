package import HLS

/// Returns a description of how a playlist changes when it is written and parsed; nil if it doesn't change, or if it
/// can't be compared.
package func identityProblem(_ parsed: ParsedPlaylist) -> String? {
    // A playlist that refers to an undefined variable can't be compared. A variable whose value is too long isn't
    // defined either. Dropped diagnostics may have reported one of these.
    if parsed.droppedDiagnostics > 0
        || parsed.diagnostics.contains(where: { $0.rule.section == "4.3" || $0.rule.name == "size" })
    {
        return nil
    }
    let parser = PlaylistParser(context: PlaylistContext(importableVariables: parsed.variables))
    do {
        let declared = PlaylistWriter(version: .declared).bytes(parsed.playlist)
        let again = try parser.parse(declared).playlist
        // In a playlist with tags of both kinds, the tag that determined the kind may be lost with its invalid value.
        if again.kind != parsed.playlist.kind, parsed.diagnostics.contains(where: { $0.rule.name == "place" }) {
            return nil
        }
        if again != parsed.playlist { return "changed:\n" + String(decoding: declared, as: UTF8.self) }
        let lowest = PlaylistWriter().bytes(parsed.playlist)
        let second = try parser.parse(lowest).playlist
        if PlaylistWriter().bytes(second) != lowest {
            return "not canonical:\n" + String(decoding: lowest, as: UTF8.self)
        }
        if withoutVersion(second) != withoutVersion(parsed.playlist) {
            return "changed when written with the lowest version"
        }
    } catch {
        return "\(error)"
    }
    return nil
}

private func withoutVersion(_ playlist: Playlist) -> Playlist {
    switch playlist {
    case .media(var media):
        media.version = nil
        return .media(media)
    case .multivariant(var multivariant):
        multivariant.version = nil
        return .multivariant(multivariant)
    }
}
