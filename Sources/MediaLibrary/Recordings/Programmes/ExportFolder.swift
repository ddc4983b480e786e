internal import MediaCache

/// The folder of exported files, `exports/<programme>.mp4` and `.3gp`. Unfinished exports have an additional suffix.
struct ExportFolder: Sendable {
    private static let draftSuffix = ".part"
    private let folder: SideFolder

    init(_ store: CacheStore) { folder = store.sideFolder("exports") }

    static func name(_ programme: String, _ format: ProgrammeFormat) -> String { "\(programme).\(format.rawValue)" }

    /// Returns the path of a draft for writing.
    func draft(_ name: String) async throws -> String { try await folder.path(for: name + Self.draftSuffix) }

    /// Renames a finished draft, and returns when the new name is durable.
    ///
    /// - Returns: The length in bytes.
    func commit(_ name: String) async throws -> Int64 { try await folder.commit(name + Self.draftSuffix, as: name) }

    /// Deletes an export's file and draft, if they exist.
    func remove(_ name: String) async throws {
        try await folder.remove(name)
        try await removeDraft(name)
    }

    /// Deletes a draft, if it exists.
    func removeDraft(_ name: String) async throws { try await folder.remove(name + Self.draftSuffix) }

    /// Deletes unknown files and the drafts of earlier processes.
    ///
    /// - Parameter known: The names of known files; nil if they can't be determined, so that all finished files remain.
    /// - Returns: The names of the remaining files.
    func clear(except known: Set<String>?) async throws -> Set<String> {
        var remaining: Set<String> = []
        for name in try await folder.names() {
            if name.hasSuffix(Self.draftSuffix) || known.map({ !$0.contains(name) }) ?? false {
                try await folder.remove(name)
            } else {
                remaining.insert(name)
            }
        }
        return remaining
    }

    /// Opens an export's file; returns nil if it doesn't exist.
    func open(_ name: String) async throws -> SideFile? { try await folder.open(name) }
}
